"""Means of any scores: the standard error, intervals and tests of one number a sample.

The numbers are the scores of one run, or the differences of two runs on the same samples, whose mean is the difference
of the runs; `differences` gives them. A sample's epochs are averaged first. Where samples come in clusters, such as
questions about one passage, the cluster is the unit: `clusters` names the cluster of each sample.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from openbench_analysis.statistics.proportions import tango_limits
from openbench_analysis.statistics.resampling import bca_limits, resampled_sums, sign_flip_p_value
from openbench_analysis.statistics.results import (
    Clusters,
    Estimate,
    FloatArray,
    Interval,
    Significance,
    checked_level,
    checked_values,
    cluster_totals,
)


def mean_of(values: npt.ArrayLike, clusters: Clusters | None = None) -> Estimate:
    """Return the mean and its standard error; with clusters, one that holds for few of them and for unequal ones.

    Without clusters the standard error is the standard deviation over the square root of n, with n - 1 degrees of
    freedom. With G clusters of equal size it is that of the clusters' means, with G - 1. If their sizes differ, the
    deviations of large clusters are scaled up (CR2), and the degrees of freedom are fewer: so an interval with 10
    clusters covers what it should, where `liang_zeger` and cluster bootstraps fall short.

    Source: Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression with multi-stage samples,
    Survey Methodology 28; degrees of freedom with the correlation within clusters: Imbens and Kolesar 2016, Robust
    standard errors in small samples, Review of Economics and Statistics 98; for the regression on a constant.

    Args:
        values: One number a sample, shape (n,).
        clusters: The cluster of each sample, shape (n,).

    Raises:
        ValueError: There are no values, or some are not finite, or the shapes differ.
    """
    array = checked_values("values", values)
    sums, sizes = cluster_totals(array, clusters)
    mean = float(array.mean())
    if sums.size == 1:
        return Estimate(mean, math.inf, 0)
    deviations = _deviations(sums, sizes, array)
    scale = 1 / (1 - sizes / array.size)
    error = math.sqrt(float(scale @ deviations**2)) / array.size
    return Estimate(mean, error, _imbens_kolesar(array - mean, deviations, sizes, scale))


def liang_zeger(values: npt.ArrayLike, clusters: Clusters) -> Estimate:
    """Return the mean and the usual cluster-robust standard error, with G - 1 degrees of freedom for G clusters.

    sqrt(G / (G - 1) * sum over clusters of (sum of deviations)^2) / n, as `bench eval`, Inspect and statsmodels
    compute it. With few clusters of unequal sizes it is too small: see `mean_of`, which is the same if the sizes are
    equal.

    Source: Liang and Zeger 1986, Longitudinal data analysis using generalized linear models, Biometrika 73; Miller
    2024, Adding error bars to evals, arXiv 2411.00640, clustered standard errors, there without the factor G / (G -
    1).

    Args:
        values: One number a sample, shape (n,).
        clusters: The cluster of each sample, shape (n,).

    Raises:
        ValueError: There are no values, or some are not finite, or the shapes differ.
    """
    array = checked_values("values", values)
    sums, sizes = cluster_totals(array, clusters)
    mean = float(array.mean())
    if (groups := sums.size) == 1:
        return Estimate(mean, math.inf, 0)
    squares = float(np.sum(_deviations(sums, sizes, array) ** 2))
    return Estimate(mean, math.sqrt(groups / (groups - 1) * squares) / array.size, groups - 1)


def design_effect(values: npt.ArrayLike, clusters: Clusters) -> float:
    """Return how many times larger the variance of the mean is than if the samples were independent.

    1 means that clusters do not matter; 4, that only every fourth sample says something new. NaN where all values are
    equal, or there is one cluster only.

    Source: Kish 1965, Survey sampling, section 8.2.

    Args:
        values: One number a sample, shape (n,).
        clusters: The cluster of each sample, shape (n,).

    Raises:
        ValueError: There are no values, or some are not finite, or the shapes differ.
    """
    clustered, plain = liang_zeger(values, clusters), mean_of(values)
    if not clustered.degrees or not plain.standard_error:
        return math.nan
    return (clustered.standard_error / plain.standard_error) ** 2


def t_interval(estimate: Estimate, level: float = 0.95) -> Interval:
    """Return Student's interval of a mean.

    A single sample or cluster bounds nothing: the limits are infinite. Values that are all equal have no standard
    error, and both limits are their mean; `bounded_interval` is honest about them.

    Args:
        estimate: The mean, from `mean_of` or `liang_zeger`.
        level: The confidence level.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    tail = (1 - checked_level(level)) / 2
    half = math.inf
    if estimate.degrees > 0:
        half = -float(stdtrit(estimate.degrees, tail)) * estimate.standard_error
    return Interval(estimate.value, estimate.value - half, estimate.value + half, level, "Student's t")


def t_test(estimate: Estimate, mean: float = 0.0) -> Significance:
    """Test whether a mean is another than the given one, two-sided, by Student's t.

    Of the differences of two runs this is the paired t-test. A single sample or cluster gives 1. Values that are all
    equal have an infinite t unless they equal the given mean, and a p-value of 0 that few samples do not support;
    `sign_flip` gives one that they do.

    Source: Student 1908, The probable error of a mean, Biometrika 6.

    Args:
        estimate: The mean, from `mean_of` or `liang_zeger`.
        mean: The mean of the null hypothesis.
    """
    return Significance(min(2 * upper_tail(abs(estimate.value - mean), estimate), 1.0), "Student's t")


def upper_tail(distance: float, estimate: Estimate) -> float:
    """Return the probability that Student's t is above a distance, in the scores' unit, over the standard error."""
    if not estimate.degrees or not distance:
        return 0.5
    if not estimate.standard_error:
        return 0.0 if distance > 0 else 1.0
    return float(stdtr(estimate.degrees, -distance / estimate.standard_error))


def bounded_interval(
    values: npt.ArrayLike, clusters: Clusters | None = None, *, span: float = 1.0, level: float = 0.95
) -> Interval:
    """Return an interval of the mean of differences that holds also where hardly any of them differs from 0.

    There the standard error says little: it is 0 if none differs. This is Tango's interval with the sum of all
    differences above 0, and of all below, over the span, in place of the numbers of samples; with clusters, of their
    sums. It is wider than Student's t where many differ, for the variance is at most what it takes it to be.

    Source: Tango 1998, Statistics in Medicine 17, 891-908, for scores of 0 and 1; the bound is E[x^2] <= E[|x|] for
    |x| <= 1.

    Args:
        values: The differences of two runs, shape (n,).
        clusters: The cluster of each sample, shape (n,).
        span: The largest possible difference: 1 for scores from 0 to 1.
        level: The confidence level.

    Raises:
        ValueError: A difference is beyond the span, there are none, or some are not finite, the shapes differ, or the
            level is not between 0 and 1.
    """
    array = checked_values("values", values)
    if (largest := np.abs(array).max()) > span:
        raise ValueError(f"bounded_interval: a difference of {largest} is beyond the span of {span}.")
    sums, _ = cluster_totals(array, clusters)
    amounts = sums * (sums.size / array.size / span)
    above, below = float(amounts[amounts > 0].sum()), -float(amounts[amounts < 0].sum())
    low, high = tango_limits(above, below, sums.size, level)
    mean = float(array.mean())
    return Interval(mean, min(low * span, mean), max(high * span, mean), level, "Tango, by amounts")


def sign_flip(
    values: npt.ArrayLike, clusters: Clusters | None = None, *, flips: int = 10_000, seed: int = 0
) -> Significance:
    """Test whether two runs score the same: if they do, each difference is as likely with the other sign.

    With clusters, all differences of one change sign together. Up to 16 differences other than 0, or clusters, all
    signs are tried; else random ones, and the p-value is at least 1 / (flips + 1).

    Source: Fisher 1935, The design of experiments, section 21; for clusters, Canay, Romano and Shaikh 2017,
    Randomization tests under an approximate symmetry assumption, Econometrica 85.

    Args:
        values: The differences of two runs, shape (n,).
        clusters: The cluster of each sample, shape (n,).
        flips: The number of random draws.
        seed: The seed of the draws: the same seed and values, in any order, give the same result.

    Raises:
        ValueError: There are no values, or some are not finite, or the shapes differ.
    """
    sums, _ = cluster_totals(checked_values("values", values), clusters)
    p_value, exact = sign_flip_p_value(sums, flips, np.random.default_rng(seed))
    return Significance(p_value, "exact sign flips" if exact else f"{flips:,} sign flips")


def bca_interval(
    values: npt.ArrayLike,
    clusters: Clusters | None = None,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> Interval:
    """Return the bias-corrected and accelerated bootstrap interval of a mean; with clusters, whole clusters are drawn.

    Source: Efron 1987, Better bootstrap confidence intervals, JASA 82.

    Args:
        values: One number a sample, shape (n,).
        clusters: The cluster of each sample, shape (n,).
        level: The confidence level.
        resamples: The number of resamples.
        seed: The seed of the draws: the same seed and values, in any order, give the same result.

    Raises:
        ValueError: There are no values, or some are not finite, the shapes differ, or the level is not between 0 and 1.
    """
    array = checked_values("values", values)
    rows = np.column_stack(cluster_totals(array, clusters))
    mean = float(array.mean())
    if len(rows) == 1:
        return Interval(mean, -math.inf, math.inf, checked_level(level), "BCa bootstrap")
    left_out = _ratio(rows.sum(axis=0) - rows)
    replicates = _ratio(resampled_sums(rows, resamples, np.random.default_rng(seed)))
    low, high = bca_limits(replicates, mean, left_out, level)
    return Interval(mean, min(low, mean), max(high, mean), level, "BCa bootstrap")


def _ratio(totals: FloatArray) -> FloatArray:
    """Return the mean of each row of a sum and a number of samples."""
    return np.asarray(totals[:, 0] / totals[:, 1], dtype=np.float64)


def _deviations(sums: FloatArray, sizes: FloatArray, values: FloatArray) -> FloatArray:
    """Return the sum of deviations from the mean in each cluster; what is 0 but for rounding is 0."""
    deviations: FloatArray = sums - sizes * values.mean()
    deviations[np.abs(deviations) <= 1e-12 * np.abs(values).sum()] = 0
    return deviations


def _imbens_kolesar(residuals: FloatArray, deviations: FloatArray, sizes: FloatArray, scale: FloatArray) -> float:
    """Return the degrees of freedom of the CR2 variance: 2 * mean^2 / variance, if residuals were normal.

    Residuals have equal variances and one correlation within clusters, which is estimated. The clusters' deviations
    then have the covariance diag(v) - u w' - w u' + c w w', whose weighted traces are sums over clusters.
    """
    pairs = float(sizes @ (sizes - 1))
    spread = float(np.mean(residuals**2))
    correlation = 0.0
    if pairs and spread:
        correlation = min(max(float(deviations @ deviations - residuals @ residuals) / pairs / spread, 0.0), 1.0)
    v = sizes * (1 - correlation + correlation * sizes)
    total = sizes.sum()
    u, w, c = v / total, sizes, v.sum() / total**2
    uu, uw, ww = scale @ u**2, scale @ (u * w), scale @ w**2
    own = c * w**2 - 2 * u * w
    trace = scale @ (v + own)
    trace_of_square = scale**2 @ (v**2 + 2 * v * own) + 2 * uu * ww + 2 * uw**2 + c**2 * ww**2 - 4 * c * uw * ww
    return float(trace**2 / trace_of_square)
