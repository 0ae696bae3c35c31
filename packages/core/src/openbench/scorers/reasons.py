"""Why a score is not an ordinary right or wrong, in inspect's words for it; tables count these."""

from inspect_ai.scorer import Score, ScoreReason

GRADER_FAILED: ScoreReason = "grader_failed"
"""The grader gave no verdict that can be read; the sample is unscored."""

_UNANSWERED = frozenset({"no_response", "invalid_response_format", "refusal"})


def unanswered(completion: str) -> ScoreReason:
    """Return the reason for a completion in which no answer was found."""
    return "invalid_response_format" if completion.strip() else "no_response"


def is_answered(score: Score) -> bool:
    """Return whether the scored completion held an answer."""
    return score.reason not in _UNANSWERED
