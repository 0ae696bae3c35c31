"""Sums of what was used: tokens and time."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import inf

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

Usage = Mapping[str, ModelUsage]
"""What was used by name: of a model, or of a role."""


def total(usages: Iterable[Usage]) -> dict[str, ModelUsage]:
    """Sum up usage by name."""
    summed: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, used in usage.items():
            summed[name] = summed[name] + used if name in summed else used
    return summed


def by_model(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by model what requests used; what came from the cache was not used."""
    return _summed((event.model, event) for event in events)


def by_role(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by role what requests used that have one."""
    return _summed((event.role, event) for event in events if event.role)


def running_seconds(samples: Iterable[EvalSample]) -> float:
    """Return for how long samples ran, any of them: the pauses between commands are left out.

    A sample's length is its `total_time`, of a clock that nobody sets, so that a wrong date makes no time of its own.
    """
    started = (
        (datetime.fromisoformat(each.started_at).timestamp(), each.total_time or 0)
        for each in samples
        if each.started_at
    )
    seconds, until = 0.0, -inf
    for start, end in sorted((at, at + length) for at, length in started):
        seconds += max(0.0, end - max(start, until))
        until = max(until, end)
    return round(seconds, 3)


def _summed(events: Iterable[tuple[str, ModelEvent]]) -> dict[str, ModelUsage]:
    used = ((name, event.output.usage) for name, event in events if event.cache != "read")
    return total({name: usage} for name, usage in used if usage)
