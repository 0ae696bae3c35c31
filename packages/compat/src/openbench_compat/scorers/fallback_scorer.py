"""Several scorers, tried in order: `openbench.scorers.fallback_scorer`."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.scorer import CORRECT, Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError


@scorer(metrics=[accuracy(), std(), stderr()])
def fallback_scorer(
    scorers: Sequence[Scorer], strategy: Literal["first_correct", "first_answer"] = "first_correct"
) -> Scorer:
    """Score with several scorers, in order.

    Args:
        scorers: The scorers, at least one.
        strategy: Which score is used: the first that is correct (`first_correct`), or the first with an answer
            (`first_answer`). If there is none, the last one with an answer, or else the first one.

    Raises:
        UsageError: There is no scorer, or the strategy is unknown.
    """
    if not scorers or strategy not in {"first_correct", "first_answer"}:
        raise UsageError(
            f"fallback_scorer: strategy={strategy!r} with {len(scorers)} scorers: expected first_correct or "
            "first_answer, and at least one scorer."
        )

    async def score(state: TaskState, target: Target) -> Score | None:
        kept = None
        for each in scorers:
            found = await each(state, target)
            if found is None:
                continue
            if found.value in {CORRECT, 1} if strategy == "first_correct" else found.answer is not None:
                return found
            kept = found if kept is None or found.answer is not None else kept
        return kept

    return score
