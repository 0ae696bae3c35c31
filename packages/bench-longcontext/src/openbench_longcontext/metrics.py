"""A metric beside the mean: how many answers are entirely right."""

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.metrics.means import mean_of

EXACT = "exact"
"""The key of a score's metadata that holds whether the answer is entirely right."""


@metric
def exact() -> Metric:
    """Report the share of answers that are entirely right, from 0 to 1, where scores are graded."""

    def calculate(scores: list[SampleScore]) -> Value:
        return mean_of([float((score.score.metadata or {}).get(EXACT, False)) for score in scores])

    return calculate
