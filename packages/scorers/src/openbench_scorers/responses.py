"""What every scorer here does with a completion, and with a sample that cannot be scored."""

from inspect_ai.scorer import Score, ScoreReason

from openbench.scorers.cleaning import strip_reasoning

SCORING_FAILED: ScoreReason = "scoring_failed"
"""The sample cannot be scored whatever was answered; it is unscored."""


def response(completion: str) -> str:
    """Return what the model said: the completion without its reasoning and without space around it."""
    return strip_reasoning(completion).strip()


def unscorable(rule: str) -> Score:
    """Return the score of a sample that no completion could satisfy or fail: unscored, counted, and saying why.

    Args:
        rule: What the sample lacks, and what to do about it.
    """
    return Score.unscored(reason=SCORING_FAILED, explanation=rule)
