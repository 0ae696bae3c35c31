"""What a sample took besides its last attempt: requests that were sent again, and tokens of attempts that failed.

A sample's store has an entry of it, which `openbench.run.usage` reads, if there was any:

    {"retries": 3, "waited": 4.1, "model_usage": {"openai/gpt-4.1": {…}}, "role_usage": {}}

How many attempts failed, and why, is in the log's `error_retries`, and the time of the last in `total_time`.
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
        plain = {name: USAGE.dump_python(dict(usage), exclude_none=True) for name, usage in usages.items()}
        return {KEY: {"retries": self.retries, "waited": round(self.waited, 3), **plain}}


current: ContextVar[Attempts | None] = ContextVar("openbench_attempts", default=None)
"""The attempts of the sample that runs in a context, for engines whose samples have no ids in Inspect's hooks."""


def by_model(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by model what requests used, except those that were answered from the cache."""
    return _summed((event.model, event) for event in events)


def by_role(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up by role what requests used that have one."""
    return _summed((event.role, event) for event in events if event.role)


def _summed(events: Iterable[tuple[str, ModelEvent]]) -> dict[str, ModelUsage]:
    used = ((name, event.output.usage) for name, event in events if event.cache != "read")
    return total({name: usage} for name, usage in used if usage)
