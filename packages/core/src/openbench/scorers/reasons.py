"""The reasons why a sample has no score or no complete answer, which tables count.

A prompt that the server refused as too long (`context`) and an output that a content filter stopped before any text
(`filtered`) are unscored. A text that a filter stopped, a refusal of the model (`refused`) and a text that was cut off
at the token limit (`truncated`) are answers, and are scored as they are.
"""

import functools
from collections.abc import Iterator, Mapping

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, ScoreReason, Target
from inspect_ai.solver import TaskState

GRADER_FAILED: ScoreReason = "grader_failed"
"""The grader's verdict cannot be read; the sample is unscored."""

SCORING_FAILED: ScoreReason = "scoring_failed"
"""The sample cannot be scored, whatever the answer; it is unscored."""

CONTEXT, FILTERED, REFUSED, TRUNCATED, ERROR = "context", "filtered", "refused", "truncated", "error"

STOP_REASON = "stop_reason"
"""The key of a score's metadata for what cut off the answer, which the summaries in a log would lack otherwise."""

_NOTES = {
    CONTEXT: "the prompt does not fit the model's context window; unscored",
    FILTERED: "a content filter stopped the model; unscored where it gave no text",
    REFUSED: "the model refused; scored as it is",
}
_TRUNCATED = "the answer was cut off at the limit of tokens; scored as it is, raise the limit with --max-tokens"
MOST_TRUNCATED = 0.02
LEAST_ANSWERED = 0.9

_UNANSWERED = frozenset({"no_response", "invalid_response_format", "refusal"})


def unanswered(completion: str) -> ScoreReason:
    """Return the reason for a completion in which no answer was found."""
    return "invalid_response_format" if completion.strip() else "no_response"


def unscored(problem: str, completion: str | None = None) -> Score:
    """Return the score of a sample that cannot be scored, whatever the completion: unscored, counted, with the reason.

    Args:
        problem: The problem and its remedy; the explanation is `Not scored: ` and this.
        completion: The model's answer, stored as the answer.
    """
    return Score.unscored(reason=SCORING_FAILED, answer=completion, explanation=f"Not scored: {problem}")


def is_missing(output: ModelOutput) -> bool:
    """Return whether an output has no text of the model, but at most the server's error message.

    Providers turn an HTTP 400 about the context window or a content filter into an output with the error's message.
    """
    if not output.choices or output.stop_reason not in {"model_length", "content_filter"}:
        return False
    used = output.usage
    generated = used.output_tokens > 0 if used else output.response_id is not None
    return not generated or not output.completion.strip()


def is_answered(score: Score) -> bool:
    """Return whether the scored completion contained an answer."""
    return score.reason not in _UNANSWERED


def stop_reason_of(output: ModelOutput) -> str | None:
    """Return why an output is not a complete answer; None if it is one."""
    if not output.choices:
        return None
    choice = output.choices[0]
    match choice.stop_reason:
        case "max_tokens":
            return TRUNCATED
        case "model_length":
            return CONTEXT if is_missing(output) else TRUNCATED
        case "content_filter":
            return FILTERED
    content = choice.message.content
    refused = not isinstance(content, str) and any(getattr(part, "refusal", None) for part in content)
    return REFUSED if refused else None


def notes_on(reasons: Mapping[str, int], answered: float | None, completed: int) -> Iterator[str]:
    """Yield a sentence for each reason that samples have, and for a low share of answers."""
    for reason, text in _NOTES.items():
        if count := reasons.get(reason):
            yield f"{count} of {completed} samples: {reason} ({text})."
    if (count := reasons.get(TRUNCATED, 0)) > MOST_TRUNCATED * completed:
        yield f"{count} of {completed} samples: truncated ({_TRUNCATED})."
    if answered is not None and answered < LEAST_ANSWERED:
        yield f"only {answered:.1%} of {completed} samples hold an answer that can be read; see the others in the log."


def of_answers(scorer: Scorer) -> Scorer:
    """Return a scorer that leaves samples without an answer unscored, and records what cut off an answer."""

    @functools.wraps(scorer)  # keeps its registry info
    async def score(state: TaskState, target: Target) -> Score | None:
        reason = stop_reason_of(state.output)
        if is_missing(state.output):
            text = state.output.completion or state.output.error or "no text"
            found: Score | None = Score.unscored(reason="no_response", explanation=f"{reason}: {text}")
        else:
            found = await scorer(state, target)
        if found and reason:
            found.metadata = {**(found.metadata or {}), STOP_REASON: reason}
        return found

    return score
