"""Helpers for metrics, the share of answers, and the reducer pass^k."""

import math
from collections.abc import Sequence

from inspect_ai.scorer import Metric, SampleScore, ScoreReducer, Value, metric, pass_k, score_reducer, value_to_float

from openbench.scorers.reasons import is_answered

_to_float = value_to_float()


def figure(score: SampleScore) -> float:
    """Return a score as a number: 1 if correct, 0 if incorrect, 0.5 if partly correct, else its value."""
    return _to_float(score.score.value)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean; NaN without values."""
    return math.fsum(values) / len(values) if values else math.nan


# Reduced over epochs, a score has a reason only if all epochs have the same one.
@metric(scores="unreduced")
def answered_rate() -> Metric:
    """Report the share of scored completions with an answer, from 0 to 1; every epoch counts."""

    def calculate(scores: list[SampleScore]) -> Value:
        return mean_of([float(is_answered(score.score)) for score in scores])

    return calculate


@score_reducer(name="pass_hat")
def pass_hat(k: int, value: float = 1.0) -> ScoreReducer:
    """Reduce the scores of epochs to pass^k like Inspect's `pass_k`, under the name that tau-bench introduced.

    Args:
        k: The number of attempts that must all be correct; `pass_hat_5` is `pass_hat(5)`.
        value: The lowest score of a correct attempt.
    """
    return pass_k(k, value)
