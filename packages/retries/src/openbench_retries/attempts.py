"""Counts retried requests of a sample, and the tokens of its failed attempts.

If there are any, the sample's store gets an entry, which `openbench.run.usage` reads:

    {"retries": 3, "waited": 4.1, "model_usage": {"openai/gpt-4.1": {…}}, "role_usage": {}}

The log's `error_retries` lists the failed attempts, and `total_time` is the time of the last one.
"""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.model import ModelUsage

from openbench.run.usage import KEY, USAGE, Usage, total


@dataclass
class Attempts:
    """The retries of a sample, and the usage of its attempts before the last.

    Attributes:
        retries: The number of retried requests, including those of the last attempt.
        waited: The seconds that these requests waited.
        model_usage: The tokens of failed attempts that were followed by another, by model.
        role_usage: The same by role.
    """

    retries: int = 0
    waited: float = 0.0
    model_usage: Usage = field(default_factory=dict)
    role_usage: Usage = field(default_factory=dict)

    def sent_again(self, seconds: float) -> None:
        """Count a retry after a pause."""
        self.retries += 1
        self.waited += seconds

    def failed(self, model_usage: Usage, role_usage: Usage) -> None:
        """Add the usage of a failed attempt that is followed by another."""
        self.model_usage = total([self.model_usage, model_usage])
        self.role_usage = total([self.role_usage, role_usage])

    def stored(self) -> dict[str, Any]:
        """Return the entry for the sample's store, if there were retries or failed attempts."""
        if not (self.retries or self.model_usage):
            return {}
        usages = {"model_usage": self.model_usage, "role_usage": self.role_usage}
        plain = {name: USAGE.dump_python(dict(usage), exclude_none=True) for name, usage in usages.items()}
        return {KEY: {"retries": self.retries, "waited": round(self.waited, 3), **plain}}


current: ContextVar[Attempts | None] = ContextVar("openbench_attempts", default=None)
"""The attempts of a context's sample, for engines whose samples have no ids in Inspect's hooks."""


def by_model(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum the usage of requests by model, without those answered from the cache."""
    return _summed((event.model, event) for event in events)


def by_role(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum the usage of requests by role, without those that have none."""
    return _summed((event.role, event) for event in events if event.role)


def _summed(events: Iterable[tuple[str, ModelEvent]]) -> dict[str, ModelUsage]:
    used = ((name, event.output.usage) for name, event in events if event.cache != "read")
    return total({name: usage} for name, usage in used if usage)
