"""Means of samples' scores, overall or by group, with standard errors and intervals."""

import math
from collections.abc import Iterable, Sequence
from typing import cast

from inspect_ai.scorer import (
    Metric,
    MetricProtocol,
    SampleScore,
    Value,
    ci,
    ci_wilson,
    metric,
    stderr,
)

from openbench.errors import UsageError
from openbench.metrics.means import figure, mean_of
from openbench_scorers.options import is_number, one_or_several

_CLUSTER = "cluster"

NO_GROUP = "(none)"
"""The group of samples whose metadata lack the key, since an error would fail a run at its end."""

_FIGURES = ("", "_lower", "_upper", "_count")


def stderr_of(values: Sequence[float]) -> float:
    """Return the standard error of the mean, with n - 1 in the variance; NaN for fewer than two values."""
    count, mean = len(values), mean_of(values)
    if count <= 1:
        return math.nan
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)


def _metadata_value(score: SampleScore, key: str) -> object:
    """Return the value of a key in a sample's metadata; None without one."""
    return (score.sample_metadata or {}).get(key)


@metric
def clustered_stderr(cluster: str, level: float = 0.95) -> Metric:
    """Report the uncertainty of the mean of clustered samples, such as questions about one passage.

    - `clustered_stderr`: with n samples in G clusters, sqrt(G / (G - 1) * sum over clusters of (sum of deviations)^2)
      / n. With few clusters it is too small on average; `bench eval` warns below 20.
    - `clustered_lower`, `clustered_upper`: the interval with G - 1 degrees of freedom: for scores of 0 and 1 Wilson's
      with the effective number of samples, else Student's t.
    - `clusters`: G. Each sample whose metadata lack the key is a cluster of its own.

    With fewer than two clusters, all values but `clusters` are NaN.

    Source: Miller 2024, Adding error bars to evals, arXiv 2411.00640, appendix A, with the finite-cluster correction;
    Korn and Graubard 1998, Confidence intervals for proportions with small expected number of positive counts, for
    the effective number; computed by inspect's `stderr`, `ci` and `ci_wilson`.

    Args:
        cluster: The key of the samples' metadata that names the cluster.
        level: The confidence level of the interval.

    Raises:
        UsageError: The key is empty or not a string, or the level is not a number between 0 and 1.
    """
    key: object = cluster
    if not isinstance(key, str) or not key:
        raise UsageError(f"clustered_stderr: cluster={cluster!r}: expected a key of the samples' metadata.")
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        named = [_in_cluster(score, cluster, number) for number, score in enumerate(scores)]
        count = len({_metadata_value(score, _CLUSTER) for score in named})
        known = count > 1
        lower, upper = interval_of(named, level, _CLUSTER) if known else (math.nan, math.nan)
        error = cast("float", _computed(stderr(cluster=_CLUSTER), named)) if known else math.nan
        return {"clustered_stderr": error, "clustered_lower": lower, "clustered_upper": upper, "clusters": count}

    return calculate


@metric
def wilson(level: float = 0.95) -> Metric:
    """Report the Wilson interval of the mean: `wilson_lower` and `wilson_upper`, from 0 to 1.

    It is valid for scores of 0 and 1, even with few samples and near 0 or 1; for values in between, such as means over
    epochs, it is wider than necessary. If a score is outside 0 to 1, or there are no scores, both are NaN.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22; computed by
    inspect's `ci_wilson`.

    Args:
        level: The confidence level.

    Raises:
        UsageError: The level is not a number between 0 and 1.
    """
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        lower, upper = _wilson(scores, level)
        return {"wilson_lower": lower, "wilson_upper": upper}

    return calculate


@metric
def by_group(keys: str | Sequence[str], level: float = 0.95) -> Metric:
    """Report the mean of every group of samples, with an interval for the group's own number of samples.

    For each group: its mean under its name, and `<name>_lower`, `<name>_upper` and `<name>_count`. The interval is
    Wilson's for scores of 0 and 1, else Student's t. Samples that lack a key are in the group `(none)`.

    Args:
        keys: A key of the samples' metadata, or several, whose values are joined by a slash: `algebra/5`. If two
            figures would have the same name, texts are quoted: `'1'` and `1`.
        level: The confidence level of the intervals.

    Raises:
        UsageError: `keys` is empty, a key is not a string, or the level is not a number between 0 and 1.
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
    """Report the mean of the groups' means, with equal weight for each group: `macro` and `macro_stderr`.

    The standard error is sqrt(sum of the groups' squared standard errors) / groups, not that of the pooled samples.
    A group of one sample has no variance of its own: it is assumed to be the pooled variance within the other groups.
    If every group has one sample, the standard error is that of the mean of all.

    Args:
        keys: A key of the samples' metadata, or several, which together define a group.

    Raises:
        UsageError: `keys` is empty, or a key is not a string.
    """
    names = _key_names(keys)

    def calculate(scores: list[SampleScore]) -> Value:
        groups = [[figure(score) for score in group] for group in _groups_of(scores, names).values()]
        return {"macro": mean_of([mean_of(group) for group in groups]), "macro_stderr": _macro_stderr(groups)}

    return calculate


@metric
def micro_average() -> Metric:
    """Report the mean of all samples, with equal weight for each sample: `micro` and `micro_stderr`.

    It is accuracy, with a name that matches `macro_average`.
    """

    def calculate(scores: list[SampleScore]) -> Value:
        values = [figure(score) for score in scores]
        return {"micro": mean_of(values), "micro_stderr": stderr_of(values)}

    return calculate


def interval_of(scores: list[SampleScore], level: float, cluster: str | None = None) -> tuple[float, float]:
    """Return the appropriate interval of the mean of scores.

    Args:
        scores: The scores.
        level: The confidence level.
        cluster: The key of the samples' metadata that names each sample's cluster, if there are two or more clusters.

    Returns:
        Lower and upper bound: Wilson's for scores of 0 and 1, else Student's t, which may extend beyond the scores'
        range. Graded scores that are all equal have no variance: those between 0 and 1 get Wilson's interval, which is
        never too narrow. NaN for no scores, or for a single one outside 0 to 1.
    """
    values = {figure(score) for score in scores}
    if values <= {0.0, 1.0} or len(values) == 1:
        return _wilson(scores, level, cluster)
    return _bounds(_computed(ci(level, cluster=cluster), scores))


def check_level(level: float) -> None:
    """Raise `UsageError` if a confidence level is not a number between 0 and 1."""
    if not is_number(level) or not 0 < level < 1:
        raise UsageError(f"level={level!r}: expected a number between 0 and 1, such as 0.95.")


def _wilson(scores: list[SampleScore], level: float, cluster: str | None = None) -> tuple[float, float]:
    if not scores or not all(0 <= figure(score) <= 1 for score in scores):
        return math.nan, math.nan
    return _bounds(_computed(ci_wilson(level, cluster=cluster), scores))


def _bounds(interval: Value) -> tuple[float, float]:
    bounds = cast("dict[str, float]", interval)
    return float(bounds["lower"]), float(bounds["upper"])


def _in_cluster(score: SampleScore, key: str, number: int) -> SampleScore:
    value = _metadata_value(score, key)
    cluster = f"#{number}" if value is None else repr(value)
    return score.model_copy(update={"sample_metadata": {_CLUSTER: cluster}})


def _computed(metric: Metric, scores: list[SampleScore]) -> Value:
    """Return the value of one of Inspect's metrics."""
    return cast("MetricProtocol", metric)(scores)


def _macro_stderr(groups: list[list[float]]) -> float:
    several = [group for group in groups if len(group) > 1]
    if not several:
        return stderr_of([value for group in groups for value in group])
    variances = [stderr_of(group) ** 2 for group in several]
    # The sum of squared deviations of n values is n (n - 1) times the squared standard error of their mean.
    squares = [len(each) * (len(each) - 1) * variance for each, variance in zip(several, variances, strict=True)]
    pooled = math.fsum(squares) / (sum(map(len, several)) - len(several))
    return math.sqrt(math.fsum(variances) + (len(groups) - len(several)) * pooled) / len(groups)


def _key_names(keys: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several keys as a tuple, or raise `UsageError`."""
    names = tuple(one_or_several(keys))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"keys={keys!r}: expected a key of the samples' metadata, or several.")
    return names


def _groups_of(
    scores: Iterable[SampleScore], keys: Sequence[str], suffixes: Sequence[str] = ("",)
) -> dict[str, list[SampleScore]]:
    """Group scores by the values of keys in their samples' metadata, sorted by name.

    A group's name is these values, joined by slashes. If two names would be the same (of 1 and "1", or of "a/b", "c"
    and "a", "b/c"), also with one of the suffixes, all texts in names are quoted.
    """
    groups: dict[str, list[SampleScore]] = {}
    plain: dict[str, str] = {}
    for score in scores:
        values = [_metadata_value(score, key) for key in keys]
        quoted = "/".join(NO_GROUP if value is None else repr(value) for value in values)
        plain[quoted] = "/".join(NO_GROUP if value is None else str(value) for value in values)
        groups.setdefault(quoted, []).append(score)
    shown = [name + suffix for name in plain.values() for suffix in suffixes]
    unique = len(set(shown)) == len(shown)
    named = {plain[quoted] if unique else quoted: group for quoted, group in groups.items()}
    return dict(sorted(named.items()))
