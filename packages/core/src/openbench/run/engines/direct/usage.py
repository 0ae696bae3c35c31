"""What a sample used and how long it waited, read off the events of its requests."""

from collections.abc import Iterable

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ModelUsage

from openbench.run.usage import total


def requests() -> list[ModelEvent]:
    """Return the requests that were made in this context, those that failed among them."""
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def by_model(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up usage by model; what came from the cache was not used."""
    return _summed((event.model, event) for event in events)


def by_role(events: Iterable[ModelEvent]) -> dict[str, ModelUsage]:
    """Sum up usage by role, of the requests that have one."""
    return _summed((event.role, event) for event in events if event.role)


def waited(events: Iterable[ModelEvent]) -> float:
    """Return the seconds in which requests waited for a connection, or to be tried again."""
    return sum(map(_waited, events))


def _summed(events: Iterable[tuple[str, ModelEvent]]) -> dict[str, ModelUsage]:
    used = ((name, event.output.usage) for name, event in events if event.cache != "read")
    return total({name: usage} for name, usage in used if usage)


def _waited(event: ModelEvent) -> float:
    if event.completed is None or event.working_time is None:
        return 0.0
    return max(0.0, (event.completed - event.timestamp).total_seconds() - event.working_time)
