"""Figures by group of samples, and averages over groups."""

import math
from collections.abc import Iterable, Sequence

from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.datasets.values import one_or_several
from openbench.errors import UsageError
from openbench.metrics.means import check_level, figure, held, interval_of, mean_of, stderr_of

NO_GROUP = "(none)"
"""The group of samples whose metadata lack the key, which should not fail a run at its end."""

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
    names = _key_names(keys)
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        figures: dict[str, str | int | float | bool | None] = {}
        for name, group in _groups_of(scores, names, _FIGURES).items():
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
    names = _key_names(keys)

    def calculate(scores: list[SampleScore]) -> Value:
        groups = [[figure(score) for score in group] for group in _groups_of(scores, names).values()]
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


def _key_names(keys: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several keys as a tuple.

    Raises:
        UsageError: There are none, or one is not a text, or empty.
    """
    names = tuple(one_or_several(keys))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"keys={keys!r}: expected a key of the samples' metadata, or several.")
    return names


def _groups_of(
    scores: Iterable[SampleScore], keys: Sequence[str], suffixes: Sequence[str] = ("",)
) -> dict[str, list[SampleScore]]:
    """Return the scores by what their samples' metadata hold under the keys; sorted by name.

    A group's name is these values, joined by slashes. If two groups' names would be the same (of 1 and "1", of "a/b",
    "c" and "a", "b/c"), or would be with one of the suffixes, all texts in names are quoted.
    """
    groups: dict[str, list[SampleScore]] = {}
    plain: dict[str, str] = {}
    for score in scores:
        values = [held(score, key) for key in keys]
        quoted = "/".join(NO_GROUP if value is None else repr(value) for value in values)
        plain[quoted] = "/".join(NO_GROUP if value is None else str(value) for value in values)
        groups.setdefault(quoted, []).append(score)
    shown = [name + suffix for name in plain.values() for suffix in suffixes]
    unique = len(set(shown)) == len(shown)
    named = {plain[quoted] if unique else quoted: group for quoted, group in groups.items()}
    return dict(sorted(named.items()))
