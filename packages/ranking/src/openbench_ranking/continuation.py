"""The probability that a model assigns to a text. Engines import this module without Inspect."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ContinuationScore:
    """The probability that a model assigns to a text after a context.

    Attributes:
        loglikelihood: The sum of its tokens' log-probabilities (natural logarithm); minus infinity is allowed.
        tokens: The number of its tokens; None if the model does not report it.
        greedy: Whether each token is the most probable one at its position; None if the model does not report it.
        truncated: The number of tokens cut from the left of the context to fit the model's window.
        unscored: The number of tokens at the beginning of a text without context that have no log-probability.
    """

    loglikelihood: float
    tokens: int | None = None
    greedy: bool | None = None
    truncated: int = 0
    unscored: int = 0


@dataclass(frozen=True)
class FirstTokenScore(ContinuationScore):
    """The probability of a continuation's first token, among those that a server lists.

    Attributes:
        bound: Whether the token is not listed. The log-probability is then an upper bound: that of the least probable
            listed token.
        unseen: The probability of all tokens that are not listed, from 0 to 1.
    """

    bound: bool = False
    unseen: float = 0.0
