"""Turns an extracted answer into a score, for every scorer that compares answers with targets."""

from collections.abc import Callable, Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score

from openbench.scorers.reasons import unanswered, unscored


def score_answer(
    completion: str, answer: str | None, targets: Sequence[str], same: Callable[[str, str], bool]
) -> Score:
    """Score an extracted answer.

    Args:
        completion: The text that contains it, which becomes the explanation.
        answer: The answer; None if there is none.
        targets: The correct answers; blank ones are ignored.
        same: Whether an answer is the same as a target.

    Returns:
        Correct if the answer is the same as any target, else incorrect; without an answer incorrect, with the reason;
        without a target unscored.
    """
    right = given(targets)
    if not right:
        return without_target(completion)
    if answer is None:
        return Score(value=INCORRECT, reason=unanswered(completion), explanation=completion)
    value = CORRECT if any(same(answer, target) for target in right) else INCORRECT
    return Score(value=value, answer=answer, explanation=completion)


def given(targets: Sequence[str]) -> list[str]:
    """Return the targets that are not blank."""
    return [target for target in targets if target.strip()]


def without_target(completion: str, problem: str = "the sample has no target") -> Score:
    """Return the score of a sample with unusable targets: unscored, and counted."""
    return unscored(f"{problem}. Check the dataset's mapping.", completion)
