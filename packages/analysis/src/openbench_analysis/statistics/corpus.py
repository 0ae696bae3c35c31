"""Corpus metrics, such as BLEU: two runs whose figure is computed once over all samples, and is not a mean of theirs.

Each sample has a row of numbers that add up: for BLEU the n-grams that match and that there are, and both lengths. The
metric is a function of their sums, so it is computed anew for every draw. Rows of both runs have the shape (n, k); the
metric takes the sums, shape (k,), and returns a number. Of a metric without such sums, `recomputed_randomization` and
`recomputed_bootstrap` take the difference as a function of the samples that were drawn.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics.resampling import bca_limits, resampled_sums, share_reached
from openbench_analysis.statistics.results import FloatArray, IntArray, Interval, Significance, checked_level

BoolArray = npt.NDArray[np.bool_]
Statistic = Callable[[FloatArray], float]

_AT_ONCE = 4_000_000
"""Signs drawn at a time, which bounds the memory."""


@dataclass(frozen=True)
class PairedBootstrap:
    """The difference of two runs by a paired bootstrap.

    Attributes:
        interval: The interval of the difference, by BCa.
        standard_error: The standard deviation of the resampled differences, in the metric's unit.
        significance: The two-sided test of no difference.
    """

    interval: Interval
    standard_error: float
    significance: Significance


def approximate_randomization(
    before: npt.ArrayLike, after: npt.ArrayLike, statistic: Statistic, *, trials: int = 10_000, seed: int = 0
) -> Significance:
    """Test whether two runs score the same by exchanging their outputs, sample by sample, at random.

    A trial as far apart as the runs are counts as reached, so that a run compared with itself has the p-value 1.

    Source: Noreen 1989, Computer-intensive methods for testing hypotheses; Riezler and Maxwell 2005, On some pitfalls
    in automatic evaluation and significance testing for MT.

    Args:
        before: The rows of the first run, shape (n, k).
        after: The rows of the second run on the same samples, in the same order.
        statistic: The metric, from sums of shape (k,).
        trials: The number of random exchanges.
        seed: The seed of the draws: the same seed and rows, in any order, give the same result.

    Raises:
        ValueError: The shapes differ, there are no rows, or some numbers, or the metric, are not finite.
    """
    first, second = _checked_rows(before, after)
    sums, moves = first.sum(axis=0), second - first
    observed = abs(_difference(statistic, sums, second.sum(axis=0)))
    moves = moves[np.lexsort(moves.T)]
    rng = np.random.default_rng(seed)
    reached = np.empty(trials, dtype=np.bool_)
    step = max(_AT_ONCE // len(moves), 1)
    for start in range(0, trials, step):
        exchanged = rng.integers(2, size=(min(step, trials - start), len(moves)), dtype=np.int8) @ moves
        for trial, moved in enumerate(exchanged, start):
            difference = _difference(statistic, sums + moved, second.sum(axis=0) - moved)
            reached[trial] = abs(difference) >= observed * (1 - 1e-9)
    return Significance(share_reached(reached), f"approximate randomization, {trials:,} trials")


def paired_bootstrap(
    before: npt.ArrayLike,
    after: npt.ArrayLike,
    statistic: Statistic,
    *,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> PairedBootstrap:
    """Return the interval, the standard error and a test of the difference of two runs by drawing samples again.

    The test asks how often a resampled difference is as far from the observed one as that is from 0.

    Source: Koehn 2004, Statistical significance tests for machine translation evaluation; for the test, Efron and
    Tibshirani 1993, An introduction to the bootstrap, section 16.4.

    Args:
        before: The rows of the first run, shape (n, k).
        after: The rows of the second run on the same samples, in the same order.
        statistic: The metric, from sums of shape (k,).
        level: The confidence level.
        resamples: The number of resamples.
        seed: The seed of the draws: the same seed and rows, in any order, give the same result.

    Raises:
        ValueError: The shapes differ, there are no rows, some numbers, or the metric, are not finite, or the level is
            not between 0 and 1.
    """
    first, second = _checked_rows(before, after)
    checked_level(level)
    rows = np.hstack([first, second])
    totals = rows.sum(axis=0)

    def differences_of(sums: FloatArray) -> FloatArray:
        return np.array([_difference(statistic, *np.split(each, 2)) for each in sums])

    observed = float(differences_of(totals[None])[0])
    replicates = differences_of(resampled_sums(rows, resamples, np.random.default_rng(seed)))
    # a single sample has nothing to leave out
    left_out = differences_of(totals - rows) if len(rows) > 1 else np.array([observed])
    low, high = bca_limits(replicates, observed, left_out, level)
    reached = np.abs(replicates - observed) >= abs(observed) * (1 - 1e-9)
    return PairedBootstrap(
        Interval(observed, min(low, observed), max(high, observed), level, "paired BCa bootstrap"),
        float(replicates.std(ddof=1)),
        Significance(share_reached(reached), f"paired bootstrap, {resamples:,} resamples"),
    )


def recomputed_randomization(
    samples: int, difference: Callable[[BoolArray], float], *, trials: int = 1_000, seed: int = 0
) -> Significance:
    """Test as `approximate_randomization` does, with a metric that is not computed from sums.

    Args:
        samples: The number of samples, or of clusters.
        difference: The difference of two runs that have exchanged the samples for which the array, shape (n,), is true.
        trials: The number of random exchanges.
        seed: The seed of the draws.

    Raises:
        ValueError: There are no samples, or a difference is not finite.
    """
    observed = abs(_finite(difference(np.zeros(_some(samples), dtype=np.bool_))))
    rng = np.random.default_rng(seed)
    found = [abs(_finite(difference(rng.integers(2, size=samples, dtype=np.int8) > 0))) for _ in range(trials)]
    reached = np.array(found) >= observed * (1 - 1e-9)
    return Significance(share_reached(reached), f"approximate randomization, {trials:,} trials")


def recomputed_bootstrap(
    samples: int,
    difference: Callable[[IntArray], float],
    *,
    level: float = 0.95,
    resamples: int = 1_000,
    seed: int = 0,
) -> PairedBootstrap:
    """Draw samples again as `paired_bootstrap` does, with a metric that is not computed from sums.

    The interval is corrected for bias alone: the acceleration would take the metric without each of the samples.

    Source: Efron and Tibshirani 1993, An introduction to the bootstrap, section 14.3, with an acceleration of 0.

    Args:
        samples: The number of samples, or of clusters.
        difference: The difference of two runs, from the indexes of the samples that were drawn, shape (n,).
        level: The confidence level.
        resamples: The number of resamples.
        seed: The seed of the draws.

    Raises:
        ValueError: There are no samples, a difference is not finite, or the level is not between 0 and 1.
    """
    checked_level(level)
    observed = _finite(difference(np.arange(_some(samples))))
    rng = np.random.default_rng(seed)
    replicates = np.array([_finite(difference(rng.integers(samples, size=samples))) for _ in range(resamples)])
    low, high = bca_limits(replicates, observed, np.array([observed]), level)
    reached = np.abs(replicates - observed) >= abs(observed) * (1 - 1e-9)
    return PairedBootstrap(
        Interval(observed, min(low, observed), max(high, observed), level, "paired bootstrap, corrected for bias"),
        float(replicates.std(ddof=1)),
        Significance(share_reached(reached), f"paired bootstrap, {resamples:,} resamples"),
    )


def _some(samples: int) -> int:
    if samples < 1:
        raise ValueError("there are no samples.")
    return samples


def _finite(difference: float) -> float:
    if not math.isfinite(difference):
        raise ValueError("it is NaN or infinite for some of the samples")
    return difference


def _difference(statistic: Statistic, before: FloatArray, after: FloatArray) -> float:
    difference = float(statistic(after)) - float(statistic(before))
    if not math.isfinite(difference):
        raise ValueError(f"the metric is NaN or infinite for the sums {before.tolist()} or {after.tolist()}.")
    return difference


def _checked_rows(before: npt.ArrayLike, after: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2 or not first.size:  # noqa: PLR2004 - rows and columns
        raise ValueError(
            f"before and after: shapes {first.shape} and {second.shape}: expected a row of numbers for each sample, "
            "of the same samples."
        )
    for name, rows in (("before", first), ("after", second)):
        if not (finite := np.isfinite(rows).all(axis=1)).all():
            raise ValueError(f"{name}: {np.count_nonzero(~finite)} rows hold NaN or infinite numbers.")
    return first, second
