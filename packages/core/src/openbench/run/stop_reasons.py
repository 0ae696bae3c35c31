"""Why samples have no complete answer: what stopped the model, by kind, and which outputs are not answers at all.

A prompt that the server refused as too long (`context`), and an output that a content filter stopped before any text
(`filtered`), are unscored. A text that a filter stopped, a refusal of the model (`refused`) and a text that was cut off
at the token limit (`truncated`) are the model's answers, and are scored as they are.
"""

import functools
from collections.abc import Iterator, Mapping

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import is_missing

CONTEXT, FILTERED, REFUSED, TRUNCATED, ERROR = "context", "filtered", "refused", "truncated", "error"

_NOTES = {
    CONTEXT: "the prompt does not fit the model's context window; unscored",
    FILTERED: "a content filter stopped the model; unscored where it gave no text",
    REFUSED: "the model refused; scored as it is",
}
_TRUNCATED = "the answer was cut off at the limit of tokens; scored as it is, raise the limit with --max-tokens"
MOST_TRUNCATED = 0.02
LEAST_ANSWERED = 0.9


def stop_reason_of(output: ModelOutput) -> str | None:
    """Return why an output is not a complete answer; None if it is."""
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
    """Yield a sentence on each kind of samples without a complete answer, and on a low share of answers."""
    for reason, text in _NOTES.items():
        if count := reasons.get(reason):
            yield f"{count} of {completed} samples: {reason} ({text})."
    if (count := reasons.get(TRUNCATED, 0)) > MOST_TRUNCATED * completed:
        yield f"{count} of {completed} samples: truncated ({_TRUNCATED})."
    if answered is not None and answered < LEAST_ANSWERED:
        yield f"only {answered:.1%} of {completed} samples hold an answer that can be read; see the others in the log."


def of_answers(scorer: Scorer) -> Scorer:
    """Return a scorer that leaves samples without an answer of the model unscored."""

    @functools.wraps(scorer)  # keeps its registry info
    async def score(state: TaskState, target: Target) -> Score | None:
        if not is_missing(state.output):
            return await scorer(state, target)
        text = state.output.completion or state.output.error or "no text"
        return Score.unscored(reason="no_response", explanation=f"{stop_reason_of(state.output)}: {text}")

    return score
