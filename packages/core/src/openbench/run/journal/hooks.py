"""Records what inspect's engine runs, through its hooks."""

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import Hooks, RunEnd, RunStart, SampleEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, EvalSample, condense_sample

from openbench.errors import OpenbenchError
from openbench.run.journal.counting import Recording
from openbench.tasks.provenance import Provenance

_CANCELLED = ("Cancelled(", "CancelledError(")  # of trio and asyncio

_active: Recording | None = None
_jobs: dict[str, str] = {}


@contextmanager
def recorded(recording: Recording) -> Iterator[None]:
    """Record what inspect runs while the context lasts."""
    global _active  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _active = recording
    _jobs.clear()
    try:
        yield
    finally:
        _active = None


@hooks(name="openbench_journal", description="Writes the journal of bench eval.")
class JournalHooks(Hooks):
    """Records samples as they end, for `recorded`."""

    def enabled(self) -> bool:
        """Return whether something is being recorded."""
        return _active is not None

    async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002 - inspect's signature
        """Let the run be cancelled from elsewhere."""
        if _active:
            _active.stop.reach()

    async def on_run_end(self, data: RunEnd) -> None:  # noqa: ARG002 - likewise
        """Let what comes after be finished."""
        if _active:
            _active.stop.release()

    async def on_task_start(self, data: TaskStart) -> None:
        """Begin a task that is a job."""
        job = Provenance.of(data.spec).job
        if _active and job:
            _jobs[data.eval_id] = job
            with _stopping(_active):
                _active.begin(job, EvalLog(eval=data.spec, plan=data.plan))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Record a sample, with what its events repeat written once, as in the log."""
        job = _jobs.get(data.eval_id)
        if _active and job and not _active.failure and not _is_cancelled(data.sample):
            with _stopping(_active):
                _active.ended(job, condense_sample(data.sample))


def _is_cancelled(sample: EvalSample) -> bool:
    """Return whether a sample was in flight when its run was interrupted: that is no failure of its own."""
    return sample.error is not None and sample.error.message.startswith(_CANCELLED)


@contextmanager
def _stopping(recording: Recording) -> Iterator[None]:
    """Stop the run when nothing can be recorded: inspect only warns of what a hook raises."""
    try:
        yield
    except OpenbenchError as error:
        recording.failure = error
        recording.stop.wish()
