"""Metrics by group: `openbench.metrics.grouped`."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, Literal, cast

from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, ValueToFloat, metric, value_to_float
from inspect_ai.util import registry_info

_to_float = value_to_float()


@metric
def grouped(
    metric: Metric | Sequence[Metric],
    group_key: str,
    *,
    all: Literal["samples", "groups", False] = "samples",  # noqa: A002 - likewise
    all_label: str = "all",
    value_to_float: ValueToFloat = _to_float,
    group_namer: Callable[[str, str], str] | None = None,
) -> Metric:
    """Report metrics for each value of a key of the samples' metadata.

    Args:
        metric: One metric or several.
        group_key: The key.
        all: The overall figure: over the `samples`, as the mean of the `groups`, or none (`False`).
        all_label: The name of the overall figure if there is one metric; by default, and with several, the metric's.
        value_to_float: Converts a group's figure to a number for the mean of the groups.
        group_namer: Returns the name of a group's figure, given group and metric; by default `<group>_<metric>`.

    Raises:
        ValueError: A sample's metadata lack the key; raised when the metric is computed.
    """
    metrics = list(metric) if isinstance(metric, Sequence) else [metric]
    names = [registry_info(each).name.rpartition("/")[2] for each in metrics]
    labels = [all_label] if len(metrics) == 1 and all_label != "all" else names
    name_of = group_namer or "{}_{}".format

    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[SampleScore]] = {}
        for score in scores:
            if group_key not in (score.sample_metadata or {}):
                raise ValueError(f"the sample {score.sample_id!r} has no {group_key!r} in its metadata")
            groups.setdefault(str((score.sample_metadata or {})[group_key]), []).append(score)
        overall: dict[str, Any] = {}
        by_group: dict[str, Any] = {}
        for each, name, label in zip(metrics, names, labels, strict=True):
            calculate = cast("MetricProtocol", each)
            found = {group: calculate(members) for group, members in groups.items()}
            by_group |= {name_of(group, name): value for group, value in found.items()}
            if all == "samples":
                overall[label] = calculate(scores)
            elif all == "groups":
                overall[label] = fmean(map(value_to_float, found.values())) if found else 0.0
        return {**overall, **by_group}

    return compute
