"""The results of this folder's functions, and the checks of their arguments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Clusters = Sequence[Any] | npt.NDArray[Any]
"""The cluster of each sample, shape (n,): whole numbers or names."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval, in the unit of the scores.

    Attributes:
        estimate: The value that was observed.
        low: The lower limit; minus infinity where nothing bounds it.
        high: The upper limit.
        level: The confidence level, such as 0.95.
        method: The name of the method.
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str


@dataclass(frozen=True)
class Significance:
    """The result of a test.

    Attributes:
        p_value: The probability, if the null hypothesis holds, of a result at least as far from it.
        method: The name of the method.
    """

    p_value: float
    method: str


@dataclass(frozen=True)
class Estimate:
    """A mean and how well it is known.

    Attributes:
        value: The mean, in the unit of the scores.
        standard_error: Its standard error, in the same unit; infinite of a single sample or cluster.
        degrees: The degrees of freedom of the standard error; 0 of a single sample or cluster.
    """

    value: float
    standard_error: float
    degrees: float


def checked_values(name: str, values: npt.ArrayLike) -> FloatArray:
    """Return one number a sample as an array of shape (n,).

    Args:
        name: What the error calls the values.
        values: The numbers.

    Raises:
        ValueError: They are empty, of another shape, or some are not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name}: expected one number a sample, at least one; received shape {array.shape}.")
    if not (finite := np.isfinite(array)).all():
        raise ValueError(
            f"{name}: {np.count_nonzero(~finite)} of {array.size} scores are NaN or infinite, the first at index "
            f"{np.argmin(finite)}: leave samples without a score out of both runs."
        )
    return array


def checked_pair(before: npt.ArrayLike, after: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the scores of two runs on the same samples, in the same order.

    Args:
        before: The scores of the first run, shape (n,).
        after: The scores of the second run, shape (n,).

    Raises:
        ValueError: The lengths differ, there are no scores, or some are not finite.
    """
    first, second = checked_values("before", before), checked_values("after", after)
    if first.size != second.size:
        raise ValueError(
            f"before and after: {first.size} and {second.size} scores: match the samples of both runs first."
        )
    return first, second


def differences(before: npt.ArrayLike, after: npt.ArrayLike) -> FloatArray:
    """Return after - before of each sample, shape (n,).

    Args:
        before: The scores of the first run, shape (n,).
        after: The scores of the second run, shape (n,).

    Raises:
        ValueError: The lengths differ, there are no scores, or some are not finite.
    """
    first, second = checked_pair(before, after)
    return second - first


def checked_level(level: float) -> float:
    """Return a confidence level.

    Raises:
        ValueError: It is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: expected a number between 0 and 1, such as 0.95.")
    return level


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal variable is within -z and z with this probability."""
    return float(ndtri((1 + checked_level(level)) / 2))


def cluster_totals(values: FloatArray, clusters: Clusters | None) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the values in each cluster and the number of its samples, both of shape (G,).

    Args:
        values: One number a sample, shape (n,).
        clusters: The cluster of each sample, shape (n,); with None each sample is one of its own.

    Raises:
        ValueError: The number of clusters' names is not that of the samples.
    """
    if clusters is None:
        return values, np.ones_like(values)
    names = np.asarray(clusters)
    if names.shape != values.shape:
        raise ValueError(f"clusters: shape {names.shape}: expected one for each of the {values.size} samples.")
    _, cluster = np.unique(names, return_inverse=True)
    sums: FloatArray = np.bincount(cluster, values).astype(np.float64)
    return sums, np.bincount(cluster).astype(np.float64)
