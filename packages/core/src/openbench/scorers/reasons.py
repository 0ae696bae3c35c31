"""The reasons of scores without an ordinary verdict, in Inspect's terms; tables count them."""

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, ScoreReason

GRADER_FAILED: ScoreReason = "grader_failed"
"""The grader's verdict cannot be read; the sample is unscored."""

SCORING_FAILED: ScoreReason = "scoring_failed"
"""The sample cannot be scored, whatever the answer; it is unscored."""

_UNANSWERED = frozenset({"no_response", "invalid_response_format", "refusal"})


def unanswered(completion: str) -> ScoreReason:
    """Return the reason for a completion in which no answer was found."""
    return "invalid_response_format" if completion.strip() else "no_response"


def unscored(problem: str, completion: str | None = None) -> Score:
    """Return the score of a sample that no completion could satisfy or fail: unscored, counted, with the reason.

    Args:
        problem: The problem and its remedy; the explanation is `Not scored: ` and this.
        completion: The model's answer, stored as the answer.
    """
    return Score.unscored(reason=SCORING_FAILED, answer=completion, explanation=f"Not scored: {problem}")


def is_missing(output: ModelOutput) -> bool:
    """Return whether an output has no text of the model, but at most that of the server's error.

    Providers turn an HTTP 400 about the context window or a content filter into an output with the error's message.
    """
    if not output.choices or output.stop_reason not in {"model_length", "content_filter"}:
        return False
    used = output.usage
    generated = used.output_tokens > 0 if used else output.response_id is not None
    return not generated or not output.completion.strip()


def is_answered(score: Score) -> bool:
    """Return whether the scored completion held an answer."""
    return score.reason not in _UNANSWERED
