"""What the metrics share: scores as numbers, sums that do not depend on the order, groups of samples."""

import math
from collections.abc import Iterable, Sequence
from typing import cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, value_to_float

from openbench.errors import UsageError

NO_GROUP = "(none)"
"""The group of samples whose metadata lack the key: that is no reason to lose a run at its end."""

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
    """Return what one of inspect's metrics says of scores."""
    return cast("MetricProtocol", metric)(scores)


def key_names(keys: str | Sequence[str]) -> tuple[str, ...]:
    """Return one or several keys as a tuple.

    Raises:
        UsageError: There are none, or one is empty.
    """
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    if not names or not all(names):
        raise UsageError(f"keys={keys!r}: expected a key of the samples' metadata, or several.")
    return names


def groups_of(scores: Iterable[SampleScore], keys: Sequence[str]) -> dict[str, list[SampleScore]]:
    """Return the scores by what their samples' metadata hold under the keys, joined by slashes; sorted by name."""
    groups: dict[str, list[SampleScore]] = {}
    for score in scores:
        name = "/".join(group_name(score, key) for key in keys)
        groups.setdefault(name, []).append(score)
    return dict(sorted(groups.items()))


def group_name(score: SampleScore, key: str) -> str:
    """Return what a sample's metadata hold under a key, as a text."""
    held = (score.sample_metadata or {}).get(key)
    return NO_GROUP if held is None else str(held)
