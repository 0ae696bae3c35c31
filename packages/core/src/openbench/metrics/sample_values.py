"""Shared by the metrics: scores as numbers, sums independent of the order, groups of samples."""

import math
from collections.abc import Iterable, Sequence
from typing import cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, value_to_float

from openbench.datasets.values import one_or_several
from openbench.errors import UsageError

NO_GROUP = "(none)"
"""The group of samples whose metadata lack the key, which should not fail a run at its end."""

_to_float = value_to_float()


def figure(score: SampleScore) -> float:
    """Return a score as a number: 1 if correct, 0 if incorrect, 0.5 if partly correct, else its value."""
    return _to_float(score.score.value)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean; NaN of no values."""
    return math.fsum(values) / len(values) if values else math.nan


def stderr_of(values: Sequence[float]) -> float:
    """Return the standard error of the mean, with n - 1 in the variance; NaN of fewer than two values."""
    count, mean = len(values), mean_of(values)
    if count <= 1:
        return math.nan
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)


def computed(metric: Metric, scores: list[SampleScore]) -> Value:
    """Return the value of one of Inspect's metrics."""
    return cast("MetricProtocol", metric)(scores)


def key_names(keys: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several keys as a tuple.

    Raises:
        UsageError: There are none, or one is not a text, or empty.
    """
    names = tuple(one_or_several(keys))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise UsageError(f"keys={keys!r}: expected a key of the samples' metadata, or several.")
    return names


def groups_of(
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


def held(score: SampleScore, key: str) -> object:
    """Return the value of a key in a sample's metadata; None without one."""
    return (score.sample_metadata or {}).get(key)
