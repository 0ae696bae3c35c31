"""Draws for bootstraps and permutation tests: sums over samples that were drawn again, or whose sign was flipped.

Samples are sorted before they are drawn, so that results do not depend on their order. Samples that are equal are
drawn together, by their number: the sums have the same distribution, and scores such as means over four epochs take
few values.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from openbench_analysis.statistics.results import FloatArray, normal_quantile

_AT_ONCE = 4_000_000
"""Numbers drawn at a time, which bounds the memory."""
_EXACT = 16
"""Up to this many values, all 2^16 flips of signs are tried."""


def resampled_sums(rows: FloatArray, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Draw as many rows as there are, with replacement, again and again, and return their sums.

    Args:
        rows: The rows of numbers, shape (n, k).
        resamples: How many times to draw.
        rng: The source of chance.

    Returns:
        The sums, shape (resamples, k).
    """
    total = len(rows)
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    if 8 * len(kinds) <= total:
        return np.asarray(rng.multinomial(total, counts / total, size=resamples) @ kinds, dtype=np.float64)
    ordered = np.repeat(kinds, counts, axis=0)
    sums = np.empty((resamples, rows.shape[1]))
    step = max(_AT_ONCE // rows.size, 1)
    for start in range(0, resamples, step):
        part = sums[start : start + step]
        part[:] = ordered[rng.integers(total, size=(len(part), total))].sum(axis=1)
    return sums


def flipped_sums(values: FloatArray, flips: int, rng: np.random.Generator) -> FloatArray:
    """Give each value a random sign, again and again, and return the sums.

    Args:
        values: The values, shape (n,).
        flips: How many times to draw.
        rng: The source of chance.

    Returns:
        The sums, shape (flips,).
    """
    sizes, counts = np.unique(np.abs(values[values != 0]), return_counts=True)
    sums = np.empty(flips)
    step = max(_AT_ONCE // max(sizes.size, 1), 1)
    for start in range(0, flips, step):
        part = sums[start : start + step]
        if counts.max(initial=1) > 1:
            positive = rng.binomial(counts, 0.5, size=(len(part), sizes.size))
        else:
            positive = rng.integers(2, size=(len(part), sizes.size), dtype=np.int8)
        part[:] = positive @ (2 * sizes) - counts @ sizes
    return sums


def sign_flip_p_value(values: FloatArray, flips: int, rng: np.random.Generator) -> tuple[float, bool]:
    """Return how often the sum of values with random signs is as far from 0 as theirs, and whether that is exact.

    Args:
        values: The values, shape (n,).
        flips: How many times to draw if there are too many values to try all signs.
        rng: The source of chance.
    """
    moved = values[values != 0]
    reached = abs(values.sum()) - 1e-9 * np.abs(values).sum()
    if moved.size <= _EXACT:
        sums = np.zeros(1)
        for value in moved:
            sums = np.concatenate([sums + value, sums - value])
        return float(np.mean(np.abs(sums) >= reached)), True
    return share_reached(np.abs(flipped_sums(moved, flips, rng)) >= reached), False


def share_reached(reached: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    """Return the p-value of a test by random draws: what was observed counts as one of them, so it is never 0.

    Source: Phipson and Smyth 2010, Permutation p-values should never be zero, SAGMB 9.

    Args:
        reached: Whether each draw was at least as far from the null hypothesis as what was observed.
    """
    return float((1 + np.count_nonzero(reached)) / (1 + reached.size))


def bca_limits(replicates: FloatArray, estimate: float, left_out: FloatArray, level: float) -> tuple[float, float]:
    """Return the limits of the bias-corrected and accelerated bootstrap interval.

    Source: Efron 1987, Better bootstrap confidence intervals, JASA 82; Efron and Tibshirani 1993,
    An introduction to the bootstrap, equations 14.10, 14.14 and 14.15.

    Args:
        replicates: The estimates of the resamples, shape (B,).
        estimate: The estimate of the samples.
        left_out: The estimates without each of the samples, or each of the clusters, in turn.
        level: The confidence level.
    """
    below = (np.mean(replicates < estimate) + np.mean(replicates <= estimate)) / 2
    # a share of 0 or 1 has no finite quantile: it is taken to be half a resample away from it
    bias = ndtri(np.clip(below, 0.5 / replicates.size, 1 - 0.5 / replicates.size))
    pull = left_out.mean() - left_out
    spread = np.sum(pull**2) ** 1.5
    acceleration = np.sum(pull**3) / (6 * spread) if spread > 0 else 0.0
    z = normal_quantile(level) * np.array([-1, 1])
    low, high = np.quantile(replicates, ndtr(bias + (bias + z) / (1 - acceleration * (bias + z))))
    return float(low), float(high)
