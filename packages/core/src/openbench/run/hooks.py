"""Inspect hooks that record samples.

Import this module late: Inspect announces all hooks that exist when the first model is made, and these are of no
interest to users.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import Hooks, RunEnd, RunStart, SampleEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, EvalSample, condense_sample

from openbench.errors import OpenbenchError
from openbench.run.recording import Recording
from openbench.tasks.provenance import Provenance

_CANCELLED = ("Cancelled(", "CancelledError(")  # of trio and asyncio

_recording: Recording | None = None
_jobs: dict[str, str] = {}


@contextmanager
def recording_samples(recording: Recording) -> Iterator[None]:
    """Record what Inspect runs while the context lasts."""
    global _recording  # noqa: PLW0603 - Inspect makes one instance of a hook per process
    _recording = recording
    _jobs.clear()
    try:
        yield
    finally:
        _recording = None


@hooks(name="openbench", description="Records the samples of bench eval.")
class BenchHooks(Hooks):
    """Records samples for `recording_samples`."""

    async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002 - Inspect's signature
        """Make the run cancellable."""
        if _recording:
            _recording.cancellation.attach()

    async def on_run_end(self, data: RunEnd) -> None:  # noqa: ARG002 - Inspect's signature
        """Make the rest uncancellable."""
        if _recording:
            _recording.cancellation.detach()

    async def on_task_start(self, data: TaskStart) -> None:
        """Record that a job starts."""
        job = Provenance.of(data.spec).job
        if _recording and job:
            _jobs[data.eval_id] = job
            with _cancelling(_recording):
                _recording.begin(job, EvalLog(eval=data.spec, plan=data.plan))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Record a sample, condensed as in logs."""
        job = _jobs.get(data.eval_id)
        if _recording and job and not _recording.failure and not _is_cancelled(data.sample):
            with _cancelling(_recording):
                _recording.ended(job, condense_sample(data.sample))


def _is_cancelled(sample: EvalSample) -> bool:
    """Return whether a sample was in flight when its run was interrupted, which is not an error of the sample."""
    return sample.error is not None and sample.error.message.startswith(_CANCELLED)


@contextmanager
def _cancelling(recording: Recording) -> Iterator[None]:
    """Cancel the run if recording fails: Inspect only warns about exceptions of hooks."""
    try:
        yield
    except OpenbenchError as error:
        recording.failure = error
        recording.cancellation.request()
