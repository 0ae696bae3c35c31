"""Figures by group of samples, and averages over groups."""

import math
from collections.abc import Sequence

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.metrics.intervals import check_level, interval_of
from openbench.metrics.sample_values import figure, groups_of, key_names, mean_of, stderr_of

_FIGURES = ("", "_lower", "_upper", "_count")


@metric
def by_group(keys: str | Sequence[str], level: float = 0.95) -> Metric:
    """Report the mean of every group of samples, with an interval for the group's own number of samples.

    For each group: its mean under its name, and `<name>_lower`, `<name>_upper` and `<name>_count`. The interval is
    Wilson's for scores of 0 and 1, else Student's t. Samples that lack a key are in the group `(none)`.

    Args:
        keys: A key of the samples' metadata, or several, whose values are joined by a slash: `algebra/5`. Where that
            would give two figures one name, texts are quoted: `'1'` beside `1`.
        level: The confidence level of the intervals.

    Raises:
        UsageError: There is no key, one is not a text, or the level is not a number between 0 and 1.
    """
    names = key_names(keys)
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        figures: dict[str, str | int | float | bool | None] = {}
        for name, group in groups_of(scores, names, _FIGURES).items():
            lower, upper = interval_of(group, level)
            values = (mean_of([figure(score) for score in group]), lower, upper, len(group))
            figures |= {name + suffix: value for suffix, value in zip(_FIGURES, values, strict=True)}
        return figures

    return calculate


@metric
def macro_average(keys: str | Sequence[str]) -> Metric:
    """Report the mean of the groups' means, in which each group counts the same: `macro` and `macro_stderr`.

    The standard error is sqrt(sum of the groups' squared standard errors) / groups, not that of the pooled samples.
    A single sample shows no spread: for a group of one it is taken to be that within the other groups, pooled; if every
    group is of one, the standard error is that of the mean of all.

    Args:
        keys: A key of the samples' metadata, or several, which together make a group.

    Raises:
        UsageError: There is no key, or one is not a text.
    """
    names = key_names(keys)

    def calculate(scores: list[SampleScore]) -> Value:
        groups = [[figure(score) for score in group] for group in groups_of(scores, names).values()]
        return {"macro": mean_of([mean_of(group) for group in groups]), "macro_stderr": _macro_stderr(groups)}

    return calculate


def _macro_stderr(groups: list[list[float]]) -> float:
    several = [group for group in groups if len(group) > 1]
    if not several:
        return stderr_of([value for group in groups for value in group])
    variances = [stderr_of(group) ** 2 for group in several]
    # The sum of squared deviations of n values is n (n - 1) times the squared standard error of their mean.
    squares = [len(each) * (len(each) - 1) * variance for each, variance in zip(several, variances, strict=True)]
    pooled = math.fsum(squares) / (sum(map(len, several)) - len(several))
    return math.sqrt(math.fsum(variances) + (len(groups) - len(several)) * pooled) / len(groups)


@metric
def micro_average() -> Metric:
    """Report the mean of all samples, in which each sample counts the same: `micro` and `micro_stderr`.

    It is accuracy under a name that matches `macro_average`.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        values = [figure(score) for score in scores]
        return {"micro": mean_of(values), "micro_stderr": stderr_of(values)}

    return calculate
