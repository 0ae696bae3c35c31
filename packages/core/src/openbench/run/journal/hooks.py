"""Writes the journal of what inspect's engine runs, through its hooks."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import Hooks, SampleEnd, TaskStart, hooks
from inspect_ai.log import EvalLog, condense_sample

from openbench.errors import LogError
from openbench.run.journal.writer import JournalWriter
from openbench.tasks.build import METADATA_KEY

_active: JournalWriter | None = None
_jobs: dict[str, str] = {}


@contextmanager
def journaled(writer: JournalWriter) -> Iterator[None]:
    """Write what inspect runs to a journal while the context lasts."""
    global _active  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _active = writer
    _jobs.clear()
    try:
        yield
    finally:
        _active = None


@hooks(name="openbench_journal", description="Writes the journal of bench eval.")
class JournalHooks(Hooks):
    """Appends samples as they end, for `journaled`."""

    def enabled(self) -> bool:
        """Return whether a journal is being written."""
        return _active is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Begin the journal of a task that is a job."""
        said = (data.spec.metadata or {}).get(METADATA_KEY, {})
        if _active and "job" in said:
            _jobs[data.eval_id] = said["job"]
            with _stopping(_active):
                _active.start(said["job"], EvalLog(eval=data.spec, plan=data.plan))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Append a sample, with what its events repeat written once, as in the log."""
        if _active and not _active.failure and (job := _jobs.get(data.eval_id)):
            with _stopping(_active):
                _active.append(job, condense_sample(data.sample))


@contextmanager
def _stopping(writer: JournalWriter) -> Iterator[None]:
    """Interrupt the run when its journal cannot be written: inspect only warns of what a hook raises."""
    try:
        yield
    except LogError as error:
        writer.failure = error
        signal.raise_signal(signal.SIGINT)
