"""The share of entirely correct answers, for scores with partial credit."""

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.metrics.means import mean_of

EXACT = "exact"
"""The key of a score's metadata for whether the answer is entirely correct."""


@metric
def exact() -> Metric:
    """Report the share of answers that are entirely correct, from 0 to 1."""

    def calculate(scores: list[SampleScore]) -> Value:
        return mean_of([float((score.score.metadata or {}).get(EXACT, False)) for score in scores])

    return calculate
