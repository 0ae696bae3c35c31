"""Records a plan as it runs, in the directory and journals of its run, and cancels it if recording fails."""

import asyncio
import shlex
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError
from openbench.run import progress
from openbench.run.engine import Engines, PreparedJob
from openbench.run.identity import SampleKey, spec_count
from openbench.run.journal import JournalWriter
from openbench.run.logs import DEFAULT_LOG_DIR
from openbench.run.paths import display_path, is_remote, relative_to
from openbench.run.plan import Plan
from openbench.run.run_directory import RecordedJob, RunDirectory
from openbench.tasks import provenance


class Cancellation:
    """A request to cancel an engine, made in any thread at any time, or in a hook, whose exceptions Inspect only logs.

    An engine calls `attach` in an asyncio task that an interrupt may cancel. Other engines learn from `Recording.ended`
    that a job stops.
    """

    def __init__(self) -> None:
        self.requested = False
        self._cancel: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def request(self) -> None:
        """Cancel the engine, now or as soon as it attaches."""
        self.requested = True
        self.cancel()

    def cancel(self) -> None:
        """Cancel the attached task, once: a second cancellation would disturb its cleanup."""
        with self._lock:
            if self._cancel:
                self._cancel()
            self._cancel = None

    def attach(self) -> None:
        """Make the current asyncio task cancellable; it is cancelled at once if that was requested already."""
        try:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
        except RuntimeError:  # not asyncio's event loop
            return
        if task is None:
            return

        def cancel() -> None:
            with suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(task.cancel)

        with self._lock:
            self._cancel = cancel
        if self.requested:
            self.cancel()

    def detach(self) -> None:
        """Make the attached task uncancellable."""
        with self._lock:
            self._cancel = None


class Recording(ABC):
    """Receives each job that starts and each sample that ends.

    Attributes:
        plan: The plan.
        done: The keys of samples that are already complete, by job id.
        cancellation: Cancels the engine.
        failure: Why nothing more can be recorded, if so.
    """

    def __init__(self, plan: Plan, done: Mapping[str, Collection[SampleKey]] | None = None) -> None:
        """Make a recording of a plan."""
        self.plan = plan
        self.done: dict[str, Collection[SampleKey]] = dict(done or {})
        self.cancellation = Cancellation()
        self.failure: OpenbenchError | None = None

    @abstractmethod
    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job starts.

        Args:
            job: Its id.
            header: Its log without samples, as returned by Inspect's `eval(..., run_samples=False)`.

        Raises:
            LogError: The journal cannot be written.
        """

    @abstractmethod
    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended, with or without an error.

        Returns:
            Whether the job continues; if not, its remaining samples are not run.

        Raises:
            LogError: The journal cannot be written.
        """


class RunRecording(Recording):
    """Records a plan in the directory of its run."""

    def __init__(self, plan: Plan, directory: RunDirectory, writer: JournalWriter, log_dir: str) -> None:
        """Make the recording of a run; see `record_run`."""
        super().__init__(plan)
        self.directory = directory
        self.writer = writer
        self.log_dir = log_dir
        self.resumed = bool(plan.resume)
        self.complete: dict[str, EvalLog] = {}

    @property
    def keep_samples(self) -> bool:
        """Whether the logs keep their samples."""
        return self.plan.options.get("log_samples", True)

    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job starts; see `Recording`."""
        self.writer.start(job, header)
        progress.current().begin(job, header.eval, spec_count(header.eval) - len(self.done.get(job, ())))

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended; see `Recording`."""
        self.writer.append(job, sample)
        progress.current().ended(job, sample)
        return True

    def check(self) -> None:
        """Raise the error that kept something from being recorded, if there was one."""
        if failure := self.failure or self.writer.failure:
            raise failure

    def unwritable(self, location: str, error: OpenbenchError) -> LogError:
        """Return the error for a log that cannot be written, though its samples are recorded."""
        elsewhere = f"--log-dir {DEFAULT_LOG_DIR} " if is_remote(location) else ""
        way_out = "reach it again, or use another one" if elsewhere else "make room"
        return LogError(
            f"{error}. Every sample is recorded: {way_out}, and resume with bench eval {elsewhere}--resume "
            f"{self.directory.path}"
        )


@contextmanager
def record_run(plan: Plan, prepared: Sequence[PreparedJob], engines: Engines) -> Iterator[RunRecording]:
    """Record a plan while the context lasts, in a new run or in the run that it resumes.

    Raises:
        UsageError: The run directory cannot be used, or the run cannot be resumed with these jobs.
        LogError: The run is damaged.
    """
    log_dir = plan.options.get("log_dir", DEFAULT_LOG_DIR)
    directory = RunDirectory.open(Path(plan.resume)) if plan.resume else RunDirectory.create(log_dir, plan.run)
    with directory.locked(), JournalWriter(directory.path) as writer:
        recording = RunRecording(plan, directory, writer, log_dir)
        if plan.resume:
            from openbench.run.resume import restore_samples  # noqa: PLC0415 - which other runs do not need

            restore_samples(recording, prepared, engines)
        else:
            directory.add_plan(plan.whole or plan)
            if is_remote(log_dir):  # until it ends, nothing there shows the run
                progress.note(f"The run is recorded in {display_path(str(directory.path))}")
            directory.add_jobs(*(RecordedJob.of(each.task) for each in prepared))
        for each in prepared:
            provenance.record(each.task, run=relative_to(log_dir, str(directory.path)))
        try:
            yield recording
        except KeyboardInterrupt:  # the second one, which leaves no log
            progress.note(f"Continue with: bench eval --resume {shlex.quote(str(directory.path))}")
            raise
