"""What a model returns: the score of a continuation, and that of a whole text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ContinuationScore:
    """The log-probability of a continuation after its context.

    Attributes:
        loglikelihood: The sum of its tokens' log-probabilities (natural logarithm).
        tokens: The number of tokens that were scored.
        greedy: Whether each of its tokens is the most probable one at its place.
        truncated: The number of tokens cut from the left of the context, since the model's window is shorter.
    """

    loglikelihood: float
    tokens: int
    greedy: bool
    truncated: int = 0


@dataclass(frozen=True, slots=True)
class RollingScore:
    """The log-probability of a whole text, read in windows that do not overlap in what they predict.

    Attributes:
        loglikelihood: The sum of its tokens' log-probabilities (natural logarithm).
        tokens: The number of tokens that were scored.
        windows: The number of windows that the text took.
    """

    loglikelihood: float
    tokens: int
    windows: int
