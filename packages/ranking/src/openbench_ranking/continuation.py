"""What a model assigns to a text. This module imports nothing of Inspect, since engines need it without."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ContinuationScore:
    """The probability that a model assigns to a text after a context.

    Attributes:
        loglikelihood: The sum of its tokens' log-probabilities (natural logarithm); minus infinity is allowed.
        tokens: The number of its tokens; None if the model does not report it.
        greedy: Whether each token is the most probable one at its place; None likewise.
        truncated: The number of the context's tokens that were left out on the left, to fit the model's window.
        unscored: The number of tokens at the beginning of a text without context that have no log-probability.
    """

    loglikelihood: float
    tokens: int | None = None
    greedy: bool | None = None
    truncated: int = 0
    unscored: int = 0
