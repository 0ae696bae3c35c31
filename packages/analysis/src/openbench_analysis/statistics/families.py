"""Many comparisons: adjusted p-values, the mean of a suite, and groups of models without significant differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics.results import Estimate, FloatArray


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Return p-values such that, if all of 0.05 and less are believed, one false claim or more has a chance of 5 %.

    Source: Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6.

    Args:
        p_values: The p-values of the family, shape (m,).

    Returns:
        The adjusted ones, in the same order.

    Raises:
        ValueError: A p-value is not between 0 and 1.
    """
    values, order = _ordered(p_values)
    adjusted = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    return _back(np.minimum(adjusted, 1), order)


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Return p-values such that, if all of 0.05 and less are believed, at most 5 % of them are false on average.

    It suits exploring; `holm` suits claims.

    Source: Benjamini and Hochberg 1995, Controlling the false discovery rate, JRSS B 57.

    Args:
        p_values: The p-values of the family, shape (m,).

    Returns:
        The adjusted ones, in the same order.

    Raises:
        ValueError: A p-value is not between 0 and 1.
    """
    values, order = _ordered(p_values)
    scaled = values[order] * (values.size / np.arange(1, values.size + 1))
    return _back(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1), order)


@dataclass(frozen=True)
class MacroAverage:
    """The weighted mean of a suite's members.

    Attributes:
        estimate: The mean with its standard error; None if a member is missing.
        missing: The members without a figure. Weights are never spread over the others.
    """

    estimate: Estimate | None
    missing: tuple[str, ...]


def macro_average(members: Mapping[str, Estimate | None], weights: Mapping[str, float] | None = None) -> MacroAverage:
    """Return the weighted mean of independent figures, with the standard error sqrt(sum of (weight * error)^2).

    Source: the variance of a weighted sum; the degrees of freedom by Welch and Satterthwaite: Satterthwaite 1946, An
    approximate distribution of estimates of variance components, Biometrics Bulletin 2.

    Args:
        members: The figure of each member, by name; None, or a value that is NaN, where it is missing.
        weights: The weight of each member; they are divided by their sum. Without them all are equal.

    Raises:
        ValueError: There are no members, the weights name others, or they are not positive numbers.
    """
    weights = dict.fromkeys(members, 1.0) if weights is None else weights
    if not members or weights.keys() != members.keys():
        raise ValueError(
            f"macro_average: expected a weight for each of the members {sorted(members)}, received {sorted(weights)}."
        )
    if not all(0 < weight < math.inf for weight in weights.values()):
        raise ValueError(f"macro_average: expected positive weights, received {dict(weights)}.")
    present = {name: each for name, each in members.items() if each is not None and math.isfinite(each.value)}
    if missing := tuple(name for name in members if name not in present):
        return MacroAverage(None, missing)
    total = math.fsum(weights.values())
    parts = [(weights[name] / total, each) for name, each in present.items()]
    variances = [(weight * each.standard_error) ** 2 for weight, each in parts]
    variance = math.fsum(variances)
    return MacroAverage(
        Estimate(
            math.fsum(weight * each.value for weight, each in parts),
            math.sqrt(variance),
            _welch_satterthwaite(variances, [each.degrees for _, each in parts]),
        ),
        (),
    )


def tie_groups(scores: Mapping[str, float], different: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the largest groups of models in which no two differ; a model can be in several.

    Source: Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons, Journal of
    Computational and Graphical Statistics 13.

    Args:
        scores: The score of each model, by name.
        different: The pairs that differ significantly, as names.

    Returns:
        The groups, each from its best model to its worst, in the order of their best models.

    Raises:
        ValueError: A pair names a model that has no score.
    """
    if unknown := {name for pair in different for name in pair} - scores.keys():
        raise ValueError(f"tie_groups: {sorted(unknown)} have no score; models: {sorted(scores)}.")
    groups = {frozenset(scores)} if scores else set()
    for one, other in different:
        split = {group for group in groups if {one, other} <= group}
        parts = (groups - split) | {group - {name} for group in split for name in (one, other)}
        groups = {part for part in parts if not any(part < larger for larger in parts)}
    rank = {name: place for place, name in enumerate(sorted(scores, key=lambda name: (-scores[name], name)))}
    ordered = (tuple(sorted(group, key=rank.__getitem__)) for group in groups)
    return sorted(ordered, key=lambda group: [rank[name] for name in group])


def _ordered(p_values: npt.ArrayLike) -> tuple[FloatArray, npt.NDArray[np.intp]]:
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"expected p-values, numbers from 0 to 1; received {values}.")
    return values, np.argsort(values, kind="stable")


def _back(adjusted: FloatArray, order: npt.NDArray[np.intp]) -> FloatArray:
    """Return values in the order that they had before they were sorted."""
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result


def _welch_satterthwaite(variances: Sequence[float], degrees: Sequence[float]) -> float:
    parts = [(variance, freedom) for variance, freedom in zip(variances, degrees, strict=True) if variance > 0]
    if not parts:
        return min(degrees)
    if any(not freedom for _, freedom in parts):
        return 0
    return math.fsum(part for part, _ in parts) ** 2 / math.fsum(part**2 / freedom for part, freedom in parts)
