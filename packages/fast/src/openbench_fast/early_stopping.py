"""Makes Inspect's engine skip samples: those recorded by an earlier command, and those of jobs given up."""

from typing import TYPE_CHECKING

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from openbench_fast.recording import CountingRecording

if TYPE_CHECKING:
    from inspect_ai.scorer import SampleScore


class Skipping(EarlyStopping):
    """Skips samples that must not run, and leaves all others to the task's own early stopping."""

    def __init__(self, recording: CountingRecording, job: str, others: EarlyStopping | None) -> None:
        """Skip the samples of a job that a recording marks as done."""
        self._recording = recording
        self._job = job
        self._done = recording.done.get(job, ())
        self._others = others

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Return the name under which samples are stopped; see `EarlyStopping`."""
        return await self._others.start_task(task, samples, epochs) if self._others else "openbench"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 - inspect's name
        """Skip a sample that must not run; see `EarlyStopping`."""
        if (id, epoch) in self._done:
            return EarlyStop(id=id, epoch=epoch, reason="recorded by an earlier command")
        if self._recording.shared and not self._recording.goes_on(self._job):
            return EarlyStop(id=id, epoch=epoch, reason="given up after too many errors")
        return await self._others.schedule_sample(id, epoch) if self._others else None

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, "SampleScore"]) -> None:  # noqa: A002 - likewise
        """Pass on that a sample is complete; see `EarlyStopping`."""
        if self._others:
            await self._others.complete_sample(id, epoch, scores)

    async def complete_task(self) -> dict[str, JsonValue]:
        """Pass on that the task is complete; see `EarlyStopping`."""
        return await self._others.complete_task() if self._others else {}
