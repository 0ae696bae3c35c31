"""Calibration: whether a model is right as often as it is confident."""

import math
from collections.abc import Sequence

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench.metrics.means import figure, mean_of

CONFIDENCE_KEY = "confidence"
"""The key of a score's metadata that holds the model's confidence in its answer, from 0 to 1."""


@metric(scores="unreduced")
def calibration(bins: int = 10) -> Metric:
    """Report how far confidence is from accuracy; every epoch counts separately.

    `ece` is the expected calibration error, and `brier` the mean squared difference of confidence and score; both
    from 0 to 1, lower is better. `confidence_rate` is the share of scores whose `metadata["confidence"]` is a number
    from 0 to 1. The others are excluded from both, which are NaN if no score has a confidence.

    Source: Guo et al. 2017, On calibration of modern neural networks, arXiv 1706.04599, equation 3; Brier 1950,
    Verification of forecasts expressed in terms of probability, for two outcomes.

    Args:
        bins: The number of equal-width bins of confidence for `ece`.

    Raises:
        UsageError: The number of bins is not a whole number of 1 or more.
    """
    if not is_whole(bins) or bins < 1:
        raise UsageError(f"calibration: bins={bins!r}: expected a whole number of 1 or more.")

    def calculate(scores: list[SampleScore]) -> Value:
        pairs = [(held, figure(score)) for score in scores if (held := _confidence(score)) is not None]
        return {
            "ece": expected_calibration_error(pairs, bins),
            "brier": mean_of([(held - right) ** 2 for held, right in pairs]),
            "confidence_rate": len(pairs) / len(scores) if scores else math.nan,
        }

    return calculate


def expected_calibration_error(pairs: Sequence[tuple[float, float]], bins: int = 10) -> float:
    """Return the mean over samples of |mean confidence - mean score| of the bin that the sample is in.

    Args:
        pairs: Confidence, from 0 to 1, and score of each sample.
        bins: The number of bins; the m-th holds confidences above (m - 1) / bins up to m / bins.

    Returns:
        A value from 0 to 1; NaN of no samples.
    """
    held: dict[int, list[float]] = {}
    for confidence, right in pairs:
        held.setdefault(bin_of(confidence, bins), []).append(confidence - right)
    return math.fsum(abs(math.fsum(gaps)) for gaps in held.values()) / len(pairs) if pairs else math.nan


def bin_of(confidence: float, bins: int) -> int:
    """Return the number m of the bin, from 1, that holds confidences above (m - 1) / bins up to m / bins.

    A confidence within a billionth of a bin's edge is on it: 0.55 times 20 is a little more than 11 in floats.
    """
    return max(math.ceil(round(confidence * bins, 9)), 1)


def _confidence(score: SampleScore) -> float | None:
    held = (score.score.metadata or {}).get(CONFIDENCE_KEY)
    if isinstance(held, int | float) and not isinstance(held, bool) and 0 <= held <= 1:
        return float(held)
    return None
