"""The requests of a sample, and how long it waited for them, read off their events."""

from collections.abc import Iterable

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript


def requests() -> list[ModelEvent]:
    """Return the requests that were made in this context, those that failed among them."""
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def waited(events: Iterable[ModelEvent]) -> float:
    """Return the seconds in which requests waited for a connection, or to be tried again."""
    return sum(map(_waited, events))


def _waited(event: ModelEvent) -> float:
    if event.completed is None or event.working_time is None:
        return 0.0
    return max(0.0, (event.completed - event.timestamp).total_seconds() - event.working_time)
