"""The shares of answered and of unscored samples."""

import math

from inspect_ai.log import EvalScore
from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.metrics.sample_values import mean_of
from openbench.scorers.reasons import is_answered


# Reduced over epochs, a score has a reason only if all epochs have the same one.
@metric(scores="unreduced")
def answered_rate() -> Metric:
    """Report the share of scored completions that hold an answer, from 0 to 1; every epoch counts by itself."""

    def calculate(scores: list[SampleScore]) -> Value:
        return mean_of([float(is_answered(score.score)) for score in scores])

    return calculate


def unscored_rate(result: EvalScore) -> float:
    """Return the share of samples without a verdict, from 0 to 1; lower is better.

    It is read from a log's results and is not a metric, since Inspect passes unscored samples to none.

    Args:
        result: The results of a scorer (`log.results.scores`).

    Returns:
        The share; NaN without samples.
    """
    scored, unscored = result.scored_samples or 0, result.unscored_samples or 0
    return unscored / (scored + unscored) if scored + unscored else math.nan
