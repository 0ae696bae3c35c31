"""The methods that are used where none is named: of two runs on the same samples, and of one.

`benchmarks/coverage.py` simulates what they hold. Of scores of 0 and 1, Tango's interval covers what it should also
where few samples differ, where Newcombe's is too wide, and the exact McNemar test never rejects too often. Other
scores get Student's t, and the sign-flip test, which needs no normal distribution. With clusters both the interval and
the test are Student's t with the standard error of `mean_of`, which holds from five clusters on. Where nearly all
samples are equal in both runs, the standard error says little, and the interval is also as wide as `bounded_interval`.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics.means import bounded_interval, mean_of, sign_flip, t_interval, t_test
from openbench_analysis.statistics.proportions import (
    PairedCounts,
    clopper_pearson,
    mcnemar,
    tango,
    wilson,
    wilson_limits,
)
from openbench_analysis.statistics.results import (
    Clusters,
    Estimate,
    FloatArray,
    Interval,
    Significance,
    checked_pair,
    checked_values,
    cluster_totals,
    normal_quantile,
)

_ENOUGH = 6
"""Samples, or clusters, whose differences have a standard error to be trusted."""
_MANY = 200
"""Samples from which on Wilson's interval of one run covers what it should."""


def mean_interval(scores: npt.ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95) -> Interval:
    """Return the interval of one run's mean score.

    Of scores of 0 and 1 without clusters it is Clopper and Pearson's below 200 samples, where Wilson's covers too
    little near 0 and 1, and Wilson's from there on; else Student's t. Where fewer than six samples or clusters, and
    fewer than half, differ from the commonest score, it is at least as wide as Wilson's for the mean's share of the
    range from 0 to 1, or beyond as far as scores do.

    Args:
        scores: The scores, shape (n,), epochs averaged.
        clusters: The cluster of each sample, shape (n,).
        level: The confidence level.

    Raises:
        ValueError: There are no scores, or some are not finite, the shapes differ, or the level is not between 0 and 1.
    """
    array = checked_values("scores", scores)
    clusters = _shared(array, clusters)
    if clusters is None and is_binary(array):
        interval = wilson if array.size >= _MANY else clopper_pearson
        return interval(int(array.sum()), array.size, level)
    if _differ(array, clusters):
        return t_interval(mean_of(array, clusters), level)
    lowest, highest = min(0.0, float(array.min())), max(1.0, float(array.max()))
    units, scale, mean = cluster_totals(array, clusters)[0].size, highest - lowest, float(array.mean())
    low, high = wilson_limits((mean - lowest) / scale, units, normal_quantile(level))
    bounded = Interval(mean, lowest + scale * low, lowest + scale * high, level, "Wilson, by amounts")
    return _wider(bounded, mean_of(array, clusters))


def paired_interval(
    before: npt.ArrayLike, after: npt.ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95
) -> Interval:
    """Return the interval of the difference of two runs' mean scores, second less first.

    It is Tango's for scores of 0 and 1 without clusters, else Student's t. Where fewer than six samples or
    clusters, and fewer than half, differ, it is at least as wide as `bounded_interval`, with scores that lie between 0
    and 1, or beyond as far as they do.

    Args:
        before: The scores of the first run, shape (n,), epochs averaged.
        after: The scores of the second run on the same samples, in the same order.
        clusters: The cluster of each sample, shape (n,).
        level: The confidence level.

    Raises:
        ValueError: There are no scores, or some are not finite, the shapes differ, or the level is not between 0 and 1.
    """
    first, second = checked_pair(before, after)
    clusters = _shared(first, clusters)
    if clusters is None and is_binary(first, second):
        return tango(PairedCounts.of(first, second), level)
    span = float(max(1.0, first.max(), second.max()) - min(0.0, first.min(), second.min()))
    if _differ(second - first, clusters):
        return t_interval(mean_of(second - first, clusters), level)
    bounded = bounded_interval(second - first, clusters, span=span, level=level)
    return _wider(bounded, mean_of(second - first, clusters))


def paired_test(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    clusters: Clusters | None = None,
    *,
    mid_p: bool = False,
    flips: int = 10_000,
    seed: int = 0,
) -> Significance:
    """Test whether two runs score the same, two-sided.

    It is the exact McNemar test for scores of 0 and 1 without clusters, Student's t with clusters, else the sign-flip
    test. Where fewer than six clusters, and fewer than half, differ, it is the sign-flip test too.

    Args:
        before: The scores of the first run, shape (n,), epochs averaged.
        after: The scores of the second run on the same samples, in the same order.
        clusters: The cluster of each sample, shape (n,).
        mid_p: Whether to use the mid-p McNemar test in place of the exact one.
        flips: The number of random draws of the sign-flip test.
        seed: The seed of its draws.

    Raises:
        ValueError: There are no scores, or some are not finite, or the shapes differ.
    """
    first, second = checked_pair(before, after)
    clusters = _shared(first, clusters)
    if clusters is None and is_binary(first, second):
        return mcnemar(PairedCounts.of(first, second), mid_p=mid_p)
    if clusters is None or not _differ(second - first, clusters):
        return sign_flip(second - first, clusters, flips=flips, seed=seed)
    return t_test(mean_of(second - first, clusters))


def is_binary(*runs: FloatArray) -> bool:
    """Return whether all scores are 0 or 1."""
    return all(bool(((scores == 0) | (scores == 1)).all()) for scores in runs)


def _shared(scores: FloatArray, clusters: Clusters | None) -> Clusters | None:
    """Return clusters, or None if no two samples share one."""
    _, sizes = cluster_totals(scores, clusters)
    return clusters if sizes.max() > 1 else None


def _differ(values: FloatArray, clusters: Clusters | None) -> bool:
    """Return whether enough samples, or clusters, differ from the commonest value for a standard error to be trusted.

    Six do, or half of all: with fewer, Student's t covers as little as a fifth of what it should.
    """
    sums, sizes = cluster_totals(values, clusters)
    means = sums / sizes
    _, counts = np.unique(means, return_counts=True)
    others = means.size - int(counts.max())
    return others > 0 and others >= min(_ENOUGH, means.size / 2) and mean_of(values, clusters).standard_error > 0


def _wider(bounded: Interval, estimate: Estimate) -> Interval:
    """Return an interval with the limits of Student's where these are farther away, and there is more than one unit."""
    usual = t_interval(estimate, bounded.level) if estimate.degrees else bounded
    low, high = min(bounded.low, usual.low, estimate.value), max(bounded.high, usual.high, estimate.value)
    return replace(bounded, low=low, high=high)
