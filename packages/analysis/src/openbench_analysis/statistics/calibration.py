"""Calibration: whether answers given with 80 % confidence are right 80 % of the time."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics.results import checked_pair


@dataclass(frozen=True)
class Bin:
    """Samples of about the same confidence.

    Attributes:
        confidence: Their mean confidence.
        score: Their mean score.
        count: How many they are.
    """

    confidence: float
    score: float
    count: int


@dataclass(frozen=True)
class Calibration:
    """How well confidence and score agree.

    Attributes:
        bins: The samples by confidence, without empty bins.
        expected_error: The mean distance between confidence and score of a bin, weighted by its samples.
        brier: The mean squared distance between confidence and score of a sample.
    """

    bins: tuple[Bin, ...]
    expected_error: float
    brier: float


def calibration(confidences: npt.ArrayLike, scores: npt.ArrayLike, *, bins: int = 10) -> Calibration:
    """Return the calibration of samples, in bins of equal width from 0 to 1.

    Sources: Guo et al. 2017, On calibration of modern neural networks, ICML (the expected calibration error); Brier
    1950, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78.

    Args:
        confidences: The confidence of each sample, from 0 to 1, shape (n,).
        scores: Its score, shape (n,).
        bins: The number of bins.

    Raises:
        ValueError: The lengths differ, there are no samples, some are not finite, or a confidence is not from 0 to 1.
    """
    sure, right = checked_pair(confidences, scores)
    if not ((sure >= 0) & (sure <= 1)).all():
        raise ValueError(f"confidences: expected numbers from 0 to 1; they range from {sure.min()} to {sure.max()}.")
    places = np.minimum((sure * bins).astype(np.int64), bins - 1)
    chosen = [places == place for place in np.unique(places)]
    found = tuple(Bin(float(sure[of].mean()), float(right[of].mean()), int(of.sum())) for of in chosen)
    error = sum(each.count * abs(each.confidence - each.score) for each in found) / sure.size
    return Calibration(found, error, float(np.mean((sure - right) ** 2)))
