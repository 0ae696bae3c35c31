"""Several scorers, of which the first that fits counts: `openbench.scorers.fallback_scorer`."""

from collections.abc import Sequence
from typing import Literal

from inspect_ai.scorer import CORRECT, Score, Scorer, Target, accuracy, scorer, std, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError


@scorer(metrics=[accuracy(), std(), stderr()])
def fallback_scorer(
    scorers: Sequence[Scorer], strategy: Literal["first_correct", "first_answer"] = "first_correct"
) -> Scorer:
    """Score with several scorers, in their order.

    Args:
        scorers: The scorers, one at least.
        strategy: Which score counts: the first that is correct (`first_correct`), or the first with an answer
            (`first_answer`). If none is, it is the last with an answer, or else the first of all.

    Raises:
        UsageError: There is no scorer, or no such strategy.
    """
    if not scorers or strategy not in {"first_correct", "first_answer"}:
        raise UsageError(
            f"fallback_scorer: strategy={strategy!r} with {len(scorers)} scorers: expected first_correct or "
            "first_answer, and one scorer at least."
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
