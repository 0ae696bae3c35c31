"""Grades by a panel: one or more models judge whether an answer is right, and the majority decides."""

from collections import Counter
from collections.abc import Sequence

from inspect_ai.model import Model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import collect

from openbench.errors import UsageError
from openbench.scorers.matching import without_target
from openbench.scorers.reasons import GRADER_FAILED
from openbench_scorers.model_graded import Verdict, ask_grader, resolve_grader
from openbench_scorers.options import template_fields
from openbench_scorers.responses import response
from openbench_scorers.templates import DEFAULT_GRADER, GRADE_TEMPLATE, GRADES

_RIGHT, _NOT_ATTEMPTED = "A", "C"


def score_panel(completion: str, verdicts: Sequence[Verdict]) -> Score:
    """Count the grades of a panel.

    A grade wins if more than half of all graders give it; an unreadable grade counts as an abstention.

    Source: Verga et al. 2024, Replacing judges with juries, arXiv 2404.18796.

    Args:
        completion: The model's completion.
        verdicts: Each grader's grade: A (correct), B (incorrect) or C (not attempted).

    Returns:
        Correct for A, incorrect for B and C; unscored without a majority. The metadata lists the votes.
    """
    grades = [verdict.grade for verdict in verdicts]
    grade = majority(grades)
    explanation = "\n\n".join(verdict.text for verdict in verdicts)
    answer, metadata = response(completion), {"grade": grade and GRADES[grade].lower(), "votes": grades}
    if grade is None:
        return Score.unscored(reason=GRADER_FAILED, answer=answer, explanation=explanation, metadata=metadata)
    return Score(
        value=CORRECT if grade == _RIGHT else INCORRECT,
        answer=answer,
        explanation=explanation,
        reason="refusal" if grade == _NOT_ATTEMPTED else None,
        metadata=metadata,
    )


def majority(votes: Sequence[str | None]) -> str | None:
    """Return the grade that more than half of all votes give; None without a majority."""
    for vote, count in Counter(votes).most_common(1):
        return vote if 2 * count > len(votes) else None
    return None


@scorer(metrics=[accuracy(), stderr()], default_grader=DEFAULT_GRADER)
def graded_panel(models: str | Model | Sequence[str | Model] | None = None, template: str = GRADE_TEMPLATE) -> Scorer:
    """Score with `score_panel`: ask each model for a grade, and take the majority.

    Args:
        models: The graders, an odd number to avoid ties; by default the model of the role `grader`, else GPT-4.1 of
            2025-04-14.
        template: The graders' prompt, with the fields `question`, `target` and `answer`.

    Raises:
        UsageError: `models` is empty, or the template has unknown fields.
    """
    graders = [models] if models is None or isinstance(models, str | Model) else list(models)
    if not graders:
        raise UsageError("models=[]: expected at least one grader, or None for the model of the role grader.")
    template_fields("template", template, ("question", "target", "answer"), ("answer",))

    async def score(state: TaskState, target: Target) -> Score:
        if not target.text.strip():
            return without_target(state.output.completion)
        answer, targets = state.output.completion, list(target)
        text = response(answer)
        prompt = template.format(question=state.input_text, target="\n".join(targets), answer=text)
        verdicts = (
            ask_grader(resolve_grader(model, DEFAULT_GRADER), prompt, grades=GRADES, answer=text, targets=targets)
            for model in graders
        )
        return score_panel(answer, await collect(*verdicts))

    return score
