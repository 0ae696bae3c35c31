"""Judges that rate an answer on a scale by a stated criterion, and reply in JSON."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import GRADER_FAILED
from openbench_scorers.json_text import Schema, documents
from openbench_scorers.model_graded import ask_grader, resolve_grader
from openbench_scorers.options import is_number, one_of, template_fields
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER, SINGLE

_FIELDS = ("question", "target", "answer", "criterion", "worst", "best", "schema")


@dataclass(frozen=True)
class Scale:
    """The range of a judge's scores.

    Attributes:
        worst: The score of the worst answer.
        best: The score of the best answer; it may be the lower number, as with school grades.

    Raises:
        UsageError: They are not two different numbers.
    """

    worst: float
    best: float

    def __post_init__(self) -> None:
        if not is_number(self.worst) or not is_number(self.best) or self.worst == self.best:
            raise UsageError(f"scale=({self.worst!r}, {self.best!r}): expected two different numbers, worst and best.")

    def share(self, score: float) -> float | None:
        """Return the position of a score on the scale, from 0.0 (worst) to 1.0 (best); None if outside it."""
        share = (score - self.worst) / (self.best - self.worst)
        return share if 0 <= share <= 1 else None


def verdict_schema(scale: Scale, field: str = "score") -> dict[str, Any]:
    """Return a verdict's JSON schema: a reason, and a number on the scale."""
    limits = {"minimum": min(scale.worst, scale.best), "maximum": max(scale.worst, scale.best)}
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, field: {"type": "number", **limits}},
        "required": [field],
    }


def last_verdict(text: str, schema: Schema) -> Mapping[str, Any] | None:
    """Return the last JSON object in a judge's reply that fits the schema; None without one."""
    objects = (document.value for document in reversed(documents(response(text))))
    return next((value for value in objects if isinstance(value, dict) and schema.problem(value) is None), None)


def score_verdict(completion: str, reply: str, schema: Schema, scale: Scale, field: str = "score") -> Score:
    """Read a judge's reply.

    The value is the position of the verdict's score on the scale, from 0.0 (worst) to 1.0 (best), higher is better.

    Source: Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench, arXiv 2306.05685 (single answer grading).

    Args:
        completion: The model's completion.
        reply: The judge's reply; the last object that fits the schema is the verdict.
        schema: The schema.
        scale: The scale.
        field: The field with the score.

    Returns:
        The value, with the whole verdict in the metadata; unscored without a verdict or a score on the scale.
    """
    verdict = last_verdict(reply, schema)
    score = verdict.get(field) if verdict else None
    value = scale.share(float(score)) if is_number(score) else None
    answer = response(completion)
    if value is None:
        return Score.unscored(reason=GRADER_FAILED, answer=answer, explanation=reply)
    return Score(value=value, answer=answer, explanation=reply, metadata={"verdict": verdict})


@scorer(metrics=[mean(), stderr()], default_grader=DEFAULT_GRADER)
def json_judge(
    criterion: str,
    scale: Sequence[float] = (1, 10),
    language: str = "en",
    template: str | None = None,
    schema: Mapping[str, Any] | None = None,
    field: str = "score",
    model: str | Model | None = None,
) -> Scorer:
    """Score with `score_verdict`: ask a model how well an answer meets a criterion.

    Args:
        criterion: The criterion, in words.
        scale: The scores of the worst and the best answer.
        language: The language of the prompt: `en`, `de`, `fr` or `fi`.
        template: A custom prompt, with any of the fields `question`, `target`, `criterion`, `worst`, `best` and
            `schema`, and with `answer`.
        schema: A custom JSON schema of the verdict.
        field: The verdict's field with the score.
        model: The judge; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.

    Raises:
        UsageError: An option is invalid.
    """
    if len(scale) != 2:  # noqa: PLR2004 - worst and best
        raise UsageError(f"scale={list(scale)}: expected two different numbers, worst and best.")
    one_of("language", language, SINGLE)
    limits = Scale(*scale)
    prompt = SINGLE[language] if template is None else template
    template_fields("template", prompt, _FIELDS, ("answer",))
    definition = verdict_schema(limits, field) if schema is None else dict(schema)
    known = Schema(definition)
    common = {
        "criterion": criterion,
        "worst": limits.worst,
        "best": limits.best,
        "schema": json.dumps(definition, ensure_ascii=False),
    }
    # Replies of a grader that is not a model to a correct and to a wrong answer.
    replies = {json.dumps({field: limits.best}): "best", json.dumps({field: limits.worst}): "worst"}

    async def score(state: TaskState, target: Target) -> Score:
        answer, targets = response(state.output.completion), list(target)
        request = prompt.format(**common, question=state.input_text, target="\n".join(targets), answer=answer)
        judge = resolve_grader(model, DEFAULT_GRADER)
        reply = (await ask_grader(judge, request, grades=replies, answer=answer, targets=targets)).text
        return score_verdict(state.output.completion, reply, known, limits, field)

    return score
