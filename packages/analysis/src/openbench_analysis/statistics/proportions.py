"""Scores of 0 and 1: the interval of one run's accuracy, and tests and intervals of two runs on the same samples."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, betaincinv, ndtr

from openbench_analysis.statistics.results import (
    Interval,
    Significance,
    checked_level,
    checked_pair,
    normal_quantile,
)

_STEPS = 60
"""Halvings of the interval from -1 to 1: its limits are exact to the last digits of a float."""


@dataclass(frozen=True)
class PairedCounts:
    """The four kinds of samples in two runs with scores of 0 and 1.

    Attributes:
        both: The number of samples that score 1 in both runs.
        only_before: The number that score 1 in the first run alone.
        only_after: The number that score 1 in the second run alone.
        neither: The number that score 0 in both.
    """

    both: int
    only_before: int
    only_after: int
    neither: int

    def __post_init__(self) -> None:
        counts = (self.both, self.only_before, self.only_after, self.neither)
        if min(counts) < 0 or not self.total:
            raise ValueError(f"PairedCounts{counts}: expected numbers of samples, at least one sample in all.")

    @classmethod
    def of(cls, before: npt.ArrayLike, after: npt.ArrayLike) -> Self:
        """Count the samples of two runs.

        Args:
            before: The scores of the first run, 0 or 1, shape (n,).
            after: The scores of the second run on the same samples, in the same order.

        Raises:
            ValueError: A score is neither 0 nor 1, the lengths differ, or there are no scores.
        """
        first, second = checked_pair(before, after)
        for name, values in (("before", first), ("after", second)):
            if (other := values[(values != 0) & (values != 1)]).size:
                raise ValueError(f"{name}: {other.size} scores are neither 0 nor 1, the first is {other[0]!r}.")
        kinds = np.bincount((2 * first + second).astype(np.int64), minlength=4)
        return cls(neither=int(kinds[0]), only_after=int(kinds[1]), only_before=int(kinds[2]), both=int(kinds[3]))

    @property
    def total(self) -> int:
        """The number of samples."""
        return self.both + self.only_before + self.only_after + self.neither

    @property
    def discordant(self) -> int:
        """The number of samples whose scores differ."""
        return self.only_before + self.only_after

    @property
    def difference(self) -> float:
        """The second run's accuracy less the first's, from -1 to 1."""
        return (self.only_after - self.only_before) / self.total


def wilson(successes: int, total: int, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a proportion.

    Its coverage is near the level on average, also for few samples and near 0 and 1.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22.

    Args:
        successes: The number of samples that score 1.
        total: The number of samples.
        level: The confidence level.

    Raises:
        ValueError: There are no samples, more successes than samples, or the level is not between 0 and 1.
    """
    share = _share(successes, total)
    low, high = wilson_limits(share, total, normal_quantile(level))
    return Interval(share, low, high, level, "Wilson")


def clopper_pearson(successes: int, total: int, level: float = 0.95) -> Interval:
    """Return the exact interval of a proportion, whose coverage is never below the level, and often well above.

    Source: Clopper and Pearson 1934, The use of confidence or fiducial limits illustrated in the case of the binomial,
    Biometrika 26.

    Args:
        successes: The number of samples that score 1.
        total: The number of samples.
        level: The confidence level.

    Raises:
        ValueError: There are no samples, more successes than samples, or the level is not between 0 and 1.
    """
    share, tail = _share(successes, total), (1 - checked_level(level)) / 2
    failures = total - successes
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures else 1.0
    return Interval(share, low, high, level, "Clopper-Pearson")


def mcnemar(counts: PairedCounts, *, mid_p: bool = False) -> Significance:
    """Test whether two runs have the same accuracy: of the samples that differ, as many go one way as the other.

    The exact test never rejects too often, and with few discordant samples much too rarely. The mid-p test counts what
    was observed by half; it rejects nearly as often as it should, and seldom more.

    Source: McNemar 1947, Psychometrika 12; Fagerland, Lydersen and Laake 2013, The McNemar test for binary
    matched-pairs data: mid-p and asymptotic are better than exact conditional, BMC Medical Research Methodology 13:91.
    Where both ways are equally frequent, mid-p is 1 here, and a little less there.

    Args:
        counts: The samples of both runs.
        mid_p: Whether to use the mid-p test.

    Returns:
        The two-sided p-value; 1 if no sample differs.
    """
    fewer = min(counts.only_before, counts.only_after)
    at_most = float(bdtr(fewer, counts.discordant, 0.5))
    if not mid_p:
        return Significance(min(2 * at_most, 1.0), "exact McNemar")
    below = float(bdtr(fewer - 1, counts.discordant, 0.5)) if fewer else 0.0
    return Significance(min(at_most + below, 1.0) if counts.discordant else 1.0, "mid-p McNemar")


def newcombe(counts: PairedCounts, level: float = 0.95) -> Interval:
    """Return Newcombe's interval of the difference in accuracy: Wilson's intervals of both, squared and added.

    Source: Newcombe 1998, Improved confidence intervals for the difference between binomial proportions based on paired
    data, Statistics in Medicine 17, 2635-2650, method 10.

    Args:
        counts: The samples of both runs.
        level: The confidence level.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    z = normal_quantile(level)
    first, second = counts.both + counts.only_before, counts.both + counts.only_after
    total = counts.total
    down_first, up_first = _wilson_margins(first / total, total, z)
    down_second, up_second = _wilson_margins(second / total, total, z)
    product: float = counts.both * counts.neither - counts.only_before * counts.only_after
    if product > 0:
        product = max(product - total / 2, 0.0)
    scale = first * (total - first) * second * (total - second)
    correlation = product / math.sqrt(scale) if scale else 0.0

    def margin(one: float, other: float) -> float:
        return math.sqrt(max(one**2 - 2 * correlation * one * other + other**2, 0.0))

    difference = counts.difference
    low = max(difference - margin(down_second, up_first), -1.0)
    high = min(difference + margin(up_second, down_first), 1.0)
    return Interval(difference, low, high, level, "Newcombe, paired")


def tango(counts: PairedCounts, level: float = 0.95) -> Interval:
    """Return the score interval of the difference in accuracy: all differences that `tango_z` does not reject.

    Source: Tango 1998, Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design, Statistics in Medicine 17, 891-908.

    Args:
        counts: The samples of both runs.
        level: The confidence level.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    low, high = tango_limits(counts.only_after, counts.only_before, counts.total, level)
    return Interval(counts.difference, low, high, level, "Tango")


def tango_limits(more: float, less: float, total: float, level: float) -> tuple[float, float]:
    """Return the limits of Tango's interval from numbers of samples, or from amounts that need not be whole."""
    z = normal_quantile(level)
    return -_tango_high(less, more, total, z), _tango_high(more, less, total, z)


def tango_z(counts: PairedCounts, difference: float = 0.0) -> float:
    """Return how many standard errors the observed difference in accuracy lies above another.

    The standard error is the one that the other difference implies. At 0, the square is McNemar's chi-squared.

    Source: Tango 1998, Statistics in Medicine 17, 891-908, equation 3 and appendix.

    Args:
        counts: The samples of both runs.
        difference: The other difference, above -1 and below 1.

    Raises:
        ValueError: The other difference is not between -1 and 1.
    """
    if not -1 < difference < 1:
        raise ValueError(f"difference={difference!r}: expected a number above -1 and below 1.")
    return _tango_z(counts.only_after, counts.only_before, counts.total, difference)


def tango_test(counts: PairedCounts, difference: float = 0.0) -> Significance:
    """Test whether the difference in accuracy is another than the given one, two-sided, by Tango's score.

    Args:
        counts: The samples of both runs.
        difference: The difference of the null hypothesis, above -1 and below 1.

    Raises:
        ValueError: The difference is not between -1 and 1.
    """
    return Significance(2 * float(ndtr(-abs(tango_z(counts, difference)))), "Tango")


def _share(successes: int, total: int) -> float:
    if not 0 <= successes <= total or not total:
        raise ValueError(f"{successes} of {total} samples: expected at least one sample, and no more successes.")
    return successes / total


def _wilson_margins(share: float, total: float, z: float) -> tuple[float, float]:
    """Return how far Wilson's limits are below and above a proportion."""
    low, high = wilson_limits(share, total, z)
    return share - low, high - share


def wilson_limits(share: float, total: float, z: float) -> tuple[float, float]:
    """Return the limits of Wilson's interval from a share, which need not be one of whole samples."""
    middle = share + z**2 / (2 * total)
    half = z * math.sqrt((share * (1 - share) + z**2 / (4 * total)) / total)
    scale = 1 + z**2 / total
    low, high = (middle - half) / scale, (middle + half) / scale
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def _tango_high(more: float, less: float, total: float, z: float) -> float:
    """Return the upper limit of the difference (more - less) / total, at which Tango's score is -z."""
    low, high = (more - less) / total, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _tango_z(more, less, total, middle) > -z:
            low = middle
        else:
            high = middle
    return high


def _tango_z(more: float, less: float, total: float, difference: float) -> float:
    if (excess := more - less - total * difference) == 0:
        return 0.0
    # the larger root of a quadratic equation: the probability of the samples that go down, where the difference holds
    a = 2 * total
    b = (2 * total + less - more) * difference - less - more
    c = -less * difference * (1 - difference)
    root = math.sqrt(max(b**2 - 4 * a * c, 0.0))
    down = -2 * c / (b + root) if b > 0 else (root - b) / (2 * a)
    variance = total * (2 * down + difference * (1 - difference))
    return excess / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, excess)
