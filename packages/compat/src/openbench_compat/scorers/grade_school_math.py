"""The number after `Answer`, or the word for it in another language: `openbench.scorers.grade_school_math`."""

from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.cleaning import strip_reasoning
from openbench.scorers.matching import score_answer
from openbench_compat.utils.text import normalize_number, parse_numeric_answer


async def score_numeric_answer(state: TaskState, target: Target) -> Score:
    """Score the last number after the sample's `answer_prefix` (in its metadata; `Answer` by default)."""
    completion = strip_reasoning(state.output.completion)
    prefix = str((state.metadata or {}).get("answer_prefix", "Answer"))
    return score_answer(state.output.completion, parse_numeric_answer(completion, prefix) or None, list(target), _same)


@scorer(metrics=[accuracy(), stderr()])
def grade_school_math_scorer() -> Scorer:
    """Score the last number after `Answer`: 1 if it is the target, else 0."""
    return score_numeric_answer


def _same(answer: str, target: str) -> bool:
    return normalize_number(answer) == normalize_number(target.strip())
