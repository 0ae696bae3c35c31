"""Inspect hooks that record samples, show progress and count attempts.

Import this module only when a model is about to be made: Inspect announces the hooks that exist by then, and these are
of no interest to users.
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
from openbench.run.usage import Attempts, by_model, by_role, current
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


@dataclass
class _RunningSample:
    """The store of a sample's current attempt, and the attempts before it."""

    store: Store
    attempts: Attempts = field(default_factory=Attempts)

    def keep(self) -> None:
        for key, value in self.attempts.stored().items():
            self.store.set(key, value)


@hooks(name="openbench", description="Records the samples of bench eval, shows retries and counts attempts.")
class BenchHooks(Hooks):
    """Records samples for `recording_samples`, shows retries, and counts attempts in the stores of samples."""

    def __init__(self) -> None:
        """Make the hooks, with no sample running."""
        self._running: dict[str, _RunningSample] = {}

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

    async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
        """Remember the store of an attempt: requests of subtasks, which may be retried too, see other stores."""
        before = self._running.get(data.sample_id)
        running = _RunningSample(store(), before.attempts if before else Attempts())
        running.keep()
        self._running[data.sample_id] = running

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Apply the attempt timeout to graders and other roles, which Inspect gives the total timeout only."""
        if data.config.attempt_timeout is None and not data.config.batch:
            data.config.attempt_timeout = data.config.timeout

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Show and count a retry."""
        cause = data.exception_type or "an error"
        status = f" {data.status_code}" if data.status_code else ""
        progress.waiting(f"retry {data.attempt} of {data.model_name}", data.wait_time, f"{cause}{status}")
        running = self._running.get(data.sample_id or "")
        attempts = running.attempts if running else current.get()
        if attempts:
            attempts.sent_again(data.wait_time)
        if running:
            running.keep()

    async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
        """Add the usage of a failed attempt, which Inspect leaves out of a sample's log."""
        running = self._running.get(data.sample_id)
        if running and data.will_retry:
            events = [event for event in transcript().events if isinstance(event, ModelEvent)]
            running.attempts.failed(by_model(events), by_role(events))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Record a sample, condensed as in logs."""
        self._running.pop(data.sample_id, None)
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
