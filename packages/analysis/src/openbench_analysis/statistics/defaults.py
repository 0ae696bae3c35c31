"""The methods that are used where none is named: of two runs on the same samples, and of one.

`benchmarks/coverage.py` simulates what they hold. Of scores of 0 and 1, Tango's interval covers what it should also
where few samples differ, where Newcombe's is too wide, and the exact McNemar test never rejects too often. Other
scores get Student's t, and the sign-flip test, which needs no normal distribution. With clusters both the interval and
the test are Student's t with the standard error of `mean_of`, which holds from five clusters on.
"""

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics.means import constant_interval, mean_of, sign_flip, t_interval, t_test
from openbench_analysis.statistics.proportions import PairedCounts, mcnemar, tango, wilson
from openbench_analysis.statistics.results import (
    Clusters,
    FloatArray,
    Interval,
    Significance,
    checked_pair,
    checked_values,
    cluster_totals,
)


def mean_interval(scores: npt.ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95) -> Interval:
    """Return the interval of one run's mean score: Wilson's for scores of 0 and 1 without clusters, else Student's t.

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
        return wilson(int(array.sum()), array.size, level)
    return _interval_of(array, clusters, level, min(0.0, array.min()), max(1.0, array.max()))


def paired_interval(
    before: npt.ArrayLike, after: npt.ArrayLike, clusters: Clusters | None = None, *, level: float = 0.95
) -> Interval:
    """Return the interval of the difference of two runs' mean scores, second less first.

    It is Tango's for scores of 0 and 1 without clusters, else Student's t. Where all differences are equal, or there
    is one sample or cluster only, it is `constant_interval`, with scores that lie between 0 and 1, or beyond as far as
    they do.

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
    span = max(1.0, first.max(), second.max()) - min(0.0, first.min(), second.min())
    return _interval_of(second - first, clusters, level, -span, span)


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
    test. Where the standard error is 0 it is the sign-flip test too.

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
    estimate = mean_of(second - first, clusters)
    if clusters is None or not estimate.standard_error:
        return sign_flip(second - first, clusters, flips=flips, seed=seed)
    return t_test(estimate)


def is_binary(*runs: FloatArray) -> bool:
    """Return whether all scores are 0 or 1."""
    return all(bool(((scores == 0) | (scores == 1)).all()) for scores in runs)


def _shared(scores: FloatArray, clusters: Clusters | None) -> Clusters | None:
    """Return clusters, or None if no two samples share one."""
    _, sizes = cluster_totals(scores, clusters)
    return clusters if sizes.max() > 1 else None


def _interval_of(
    values: FloatArray, clusters: Clusters | None, level: float, lowest: float, highest: float
) -> Interval:
    estimate = mean_of(values, clusters)
    if estimate.degrees and estimate.standard_error:
        return t_interval(estimate, level)
    units = cluster_totals(values, clusters)[0].size
    value = float(np.clip(estimate.value, lowest, highest))
    return constant_interval(value, units, lowest=lowest, highest=highest, level=level)
