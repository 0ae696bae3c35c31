"""Lets inspect's engine leave out the samples that were answered by an earlier command."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from openbench.run.journal.journal import Key

if TYPE_CHECKING:
    from inspect_ai.scorer import SampleScore


class Skipping(EarlyStopping):
    """Stops samples early that are recorded already, and leaves all others to what a task has of its own."""

    def __init__(self, done: Collection[Key], others: EarlyStopping | None) -> None:
        """Skip samples by their ids and epochs."""
        self._done = done
        self._others = others

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Return the name of who stops samples; see `EarlyStopping`."""
        return await self._others.start_task(task, samples, epochs) if self._others else "openbench"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 - inspect's name
        """Stop a sample that is recorded; see `EarlyStopping`."""
        if (id, epoch) in self._done:
            return EarlyStop(id=id, epoch=epoch, reason="recorded by an earlier command")
        return await self._others.schedule_sample(id, epoch) if self._others else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, "SampleScore"]) -> None:  # noqa: A002 - likewise
        """Pass on that a sample is complete; see `EarlyStopping`."""
        if self._others:
            await self._others.complete_sample(id, epoch, scores)

    async def complete_task(self) -> dict[str, JsonValue]:
        """Pass on that the task is complete; see `EarlyStopping`."""
        return await self._others.complete_task() if self._others else {}
