"""Inspect's hooks: they journal samples, follow requests, and count attempts.

Import this module when a model is about to be made, not before: Inspect announces the hooks that exist by then, and
ours are of no interest to users.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from inspect_ai.event import ModelEvent
from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelRetry,
    RunEnd,
    RunStart,
    SampleAttemptEnd,
    SampleAttemptStart,
    SampleEnd,
    TaskStart,
    hooks,
)
from inspect_ai.log import EvalLog, EvalSample, condense_sample, transcript
from inspect_ai.util import Store, store

from openbench.errors import OpenbenchError
from openbench.run import progress
from openbench.run.recording import Recording
from openbench.run.retry_policy import apply_policy_to_all
from openbench.run.usage import Attempts, by_model, by_role, current
from openbench.tasks.provenance import Provenance

_CANCELLED = ("Cancelled(", "CancelledError(")  # of trio and asyncio

apply_policy_to_all()

_recording: Recording | None = None
_jobs: dict[str, str] = {}


@contextmanager
def recording_samples(recording: Recording) -> Iterator[None]:
    """Record what Inspect runs while the context lasts."""
    global _recording  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _recording = recording
    _jobs.clear()
    try:
        yield
    finally:
        _recording = None


@hooks(name="openbench_journal", description="Writes the journal of bench eval.")
class JournalHooks(Hooks):
    """Records samples as they end, for `recording_samples`."""

    def enabled(self) -> bool:
        """Return whether samples are being recorded."""
        return _recording is not None

    async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002 - inspect's signature
        """Let the run be cancelled from elsewhere."""
        if _recording:
            _recording.cancellation.attach()

    async def on_run_end(self, data: RunEnd) -> None:  # noqa: ARG002 - likewise
        """Let what comes after be finished."""
        if _recording:
            _recording.cancellation.detach()

    async def on_task_start(self, data: TaskStart) -> None:
        """Begin a task that is a job."""
        job = Provenance.of(data.spec).job
        if _recording and job:
            _jobs[data.eval_id] = job
            with _cancelling(_recording):
                _recording.begin(job, EvalLog(eval=data.spec, plan=data.plan))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Record a sample, with what its events repeat written once, as in the log."""
        job = _jobs.get(data.eval_id)
        if _recording and job and not _recording.failure and not _is_cancelled(data.sample):
            with _cancelling(_recording):
                _recording.ended(job, condense_sample(data.sample))


def _is_cancelled(sample: EvalSample) -> bool:
    """Return whether a sample was in flight when its run was interrupted: that is no failure of its own."""
    return sample.error is not None and sample.error.message.startswith(_CANCELLED)


@contextmanager
def _cancelling(recording: Recording) -> Iterator[None]:
    """Cancel the run when recording fails: Inspect only warns about exceptions of hooks."""
    try:
        yield
    except OpenbenchError as error:
        recording.failure = error
        recording.cancellation.request()


@hooks(name="openbench_progress", description="Shows the progress of bench eval in one line.")
class ProgressHooks(Hooks):
    """Shows what requests wait for, in `progress_line`."""

    def enabled(self) -> bool:
        """Return whether a line is being shown."""
        return progress.shown()

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Show what a request waits for."""
        cause = data.exception_type or "an error"
        status = f" {data.status_code}" if data.status_code else ""
        progress.waiting(f"retry {data.attempt} of {data.model_name}", data.wait_time, f"{cause}{status}")


@dataclass
class _Running:
    """A sample of Inspect's engine: the store of the attempt that runs, and what came before it."""

    store: Store
    attempts: Attempts = field(default_factory=Attempts)

    def keep(self) -> None:
        for key, value in self.attempts.stored().items():
            self.store.set(key, value)


@hooks(name="openbench_attempts", description="Counts retries, and the tokens of failed attempts, of a sample.")
class AttemptHooks(Hooks):
    """Writes `openbench.run.usage.KEY` into stores."""

    def __init__(self) -> None:
        """Begin without a sample."""
        self._running: dict[str, _Running] = {}

    async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
        """Find the store of an attempt: a subtask's requests, which may fail as well, see another."""
        before = self._running.get(data.sample_id)
        running = _Running(store(), before.attempts if before else Attempts())
        running.keep()
        self._running[data.sample_id] = running

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Limit each request of graders and other roles, too: Inspect hands on the timeout of all attempts alone."""
        if data.config.attempt_timeout is None and not data.config.batch:
            data.config.attempt_timeout = data.config.timeout

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Count a request that is sent again."""
        running = self._running.get(data.sample_id or "")
        attempts = running.attempts if running else current.get()
        if attempts:
            attempts.sent_again(data.wait_time)
        if running:
            running.keep()

    async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
        """Add what a failed attempt used, which Inspect's log of a sample leaves out."""
        running = self._running.get(data.sample_id)
        if running and data.will_retry:
            events = [event for event in transcript().events if isinstance(event, ModelEvent)]
            running.attempts.failed(by_model(events), by_role(events))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Forget a sample."""
        self._running.pop(data.sample_id, None)
