"""What samples used: tokens and time, and what their retries took.

A sample's store has an entry `KEY` if a request of it was sent again, or an attempt failed and was followed by another:

    {"retries": 3, "waited": 4.1, "model_usage": {"openai/gpt-4.1": {…}}, "role_usage": {}}

How many attempts failed, and why, is in the log's `error_retries`, and the time of the last in `total_time`.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage
from pydantic import TypeAdapter

KEY = "openbench:attempts"

Usage = Mapping[str, ModelUsage]
"""What was used by name: of a model, or of a role."""

_USAGE = TypeAdapter(dict[str, ModelUsage])


@dataclass
class Attempts:
    """What a sample took besides its last attempt.

    Attributes:
        retries: How often a request was sent again, including those of the last attempt.
        waited: Seconds for which these requests waited.
        model_usage: By model, the tokens of attempts that failed and were followed by another.
        role_usage: The same by role.
    """

    retries: int = 0
    waited: float = 0.0
    model_usage: Usage = field(default_factory=dict)
    role_usage: Usage = field(default_factory=dict)

    def sent_again(self, seconds: float) -> None:
        """Count a request that is sent again after a pause."""
        self.retries += 1
        self.waited += seconds

    def failed(self, model_usage: Usage, role_usage: Usage) -> None:
        """Add what a failed attempt used that is followed by another."""
        self.model_usage = total([self.model_usage, model_usage])
        self.role_usage = total([self.role_usage, role_usage])

    def stored(self) -> dict[str, Any]:
        """Return what belongs in the sample's store: nothing, or one entry."""
        if not (self.retries or self.model_usage):
            return {}
        usages = {"model_usage": self.model_usage, "role_usage": self.role_usage}
        plain = {name: _USAGE.dump_python(dict(usage), exclude_none=True) for name, usage in usages.items()}
        return {KEY: {"retries": self.retries, "waited": round(self.waited, 3), **plain}}


current: ContextVar[Attempts | None] = ContextVar("openbench_attempts", default=None)
"""The attempts of the sample that runs in a context, for engines whose samples have no ids in Inspect's hooks."""


def attempts_of(sample: EvalSample) -> Attempts:
    """Read the entry in the store of a logged sample."""
    entry: Mapping[str, Any] = sample.store.get(KEY) or {}
    usages = {name: _USAGE.validate_python(entry.get(name, {})) for name in ("model_usage", "role_usage")}
    return Attempts(retries=entry.get("retries", 0), waited=entry.get("waited", 0.0), **usages)


def used_by(samples: Iterable[EvalSample]) -> tuple[Usage, Usage]:
    """Sum up by model, and by role, what samples used in all their attempts."""
    models: Usage = {}
    roles: Usage = {}
    for sample in samples:
        before = attempts_of(sample)
        models = total([models, sample.model_usage, before.model_usage])
        roles = total([roles, sample.role_usage, before.role_usage])
    return models, roles


def total(usages: Iterable[Usage]) -> dict[str, ModelUsage]:
    """Sum up usage by name."""
    summed: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, used in usage.items():
            summed[name] = summed[name] + used if name in summed else used
    return summed


def by_model(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by model what requests used, except those that were answered from the cache."""
    return _summed((event.model, event) for event in events)


def by_role(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by role what requests used that have one."""
    return _summed((event.role, event) for event in events if event.role)


def running_seconds(samples: Iterable[EvalSample]) -> float:
    """Return for how long any of the samples ran, without the pauses between commands.

    The length of a sample is its `total_time`, which is of a monotonic clock.
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
