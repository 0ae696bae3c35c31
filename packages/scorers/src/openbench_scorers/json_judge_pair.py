"""Judges that compare the model's answer with another, request twice with the positions swapped."""

import json
from typing import Literal

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from openbench.scorers.matching import without_target
from openbench.scorers.reasons import GRADER_FAILED
from openbench_scorers.json_judge import last_verdict
from openbench_scorers.json_text import Schema
from openbench_scorers.model_graded import ask_grader, resolve_grader
from openbench_scorers.options import one_of, template_fields
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER, PAIR

Outcome = Literal["win", "tie", "loss"]

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "winner": {"enum": ["A", "B", "tie"]}},
    "required": ["winner"],
}

_FIELDS = ("question", "answer_a", "answer_b", "criterion", "schema")
_VALUES: dict[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}
_AS_A: dict[str, Outcome] = {"A": "win", "B": "loss", "tie": "tie"}
_AS_B: dict[str, Outcome] = {"A": "loss", "B": "win", "tie": "tie"}


def score_pair(completion: str, as_a: str, as_b: str) -> Score:
    """Read a judge's two replies on an answer and its rival.

    The value is 1.0 if the answer wins in both positions, 0.0 if it loses in both, and 0.5 otherwise: a judge that
    decides by position counts as undecided. Higher is better.

    Source: Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench, arXiv 2306.05685 (swapping positions, the
    conservative variant).

    Args:
        completion: The model's completion.
        as_a: The reply when the answer was answer A; its last object that fits `SCHEMA` is the verdict.
        as_b: The reply when it was answer B.

    Returns:
        The value, with both outcomes in the metadata, and whether they are `consistent`; unscored if either reply has
        no verdict.
    """
    schema = Schema(SCHEMA)
    verdicts = [last_verdict(reply, schema) for reply in (as_a, as_b)]
    explanation, answer = f"{as_a}\n\n{as_b}", response(completion)
    first, second = (str(verdict["winner"]) if verdict else None for verdict in verdicts)
    if first is None or second is None:
        return Score.unscored(reason=GRADER_FAILED, answer=answer, explanation=explanation)
    outcomes = [_AS_A[first], _AS_B[second]]
    consistent = outcomes[0] == outcomes[1]
    return Score(
        value=_VALUES[outcomes[0]] if consistent else _VALUES["tie"],
        answer=answer,
        explanation=explanation,
        metadata={"outcomes": outcomes, "consistent": consistent},
    )


@scorer(metrics=[mean(), stderr()], default_grader=DEFAULT_GRADER)
def json_judge_pair(
    criterion: str, language: str = "en", template: str | None = None, model: str | Model | None = None
) -> Scorer:
    """Score with `score_pair`: ask a model twice whether the answer or the target meets a criterion better.

    The target is the rival: the answer of another model. The mean is the win rate, with ties counted as half.

    Args:
        criterion: The criterion of comparison, in words.
        language: The language of the prompt: `en`, `de`, `fr` or `fi`.
        template: A custom prompt, with the fields `answer_a` and `answer_b`, and any of `question`, `criterion` and
            `schema`.
        model: The judge; by default the model of the role `grader`, else GPT-4.1 of 2025-04-14.

    Raises:
        UsageError: An option is invalid.
    """
    one_of("language", language, PAIR)
    prompt = PAIR[language] if template is None else template
    template_fields("template", prompt, _FIELDS, ("answer_a", "answer_b"))
    schema = json.dumps(SCHEMA)

    async def score(state: TaskState, target: Target) -> Score:
        answer, rival = response(state.output.completion), target.text
        if not rival.strip():
            return without_target(state.output.completion)
        judge = resolve_grader(model, DEFAULT_GRADER)

        async def reply(first: str, second: str, places: tuple[str, str]) -> str:
            request = prompt.format(
                question=state.input_text, answer_a=first, answer_b=second, criterion=criterion, schema=schema
            )
            # Replies of a grader that is not a model if the answer is the rival's, and if it is not.
            replies = {json.dumps({"winner": place}): place for place in places}
            return (await ask_grader(judge, request, grades=replies, answer=answer, targets=[rival])).text

        as_a, as_b = await collect(reply(answer, rival, ("A", "B")), reply(rival, answer, ("B", "A")))
        return score_pair(state.output.completion, as_a, as_b)

    return score
