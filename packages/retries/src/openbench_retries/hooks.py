"""Inspect hooks that show and count retries, and add up the usage of failed attempts.

Core imports this module through the entry-point group `openbench.hooks` after Inspect has announced the existing
hooks to the user, since these are internal.
"""

from dataclasses import dataclass, field

from inspect_ai.event import ModelEvent
from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelRetry,
    SampleAttemptEnd,
    SampleAttemptStart,
    SampleEnd,
    hooks,
)
from inspect_ai.log import transcript
from inspect_ai.util import Store, store

from openbench.run import progress
from openbench_retries.attempts import Attempts, by_model, by_role, current


@dataclass
class _RunningSample:
    """The store of a sample's current attempt, and the attempts before it."""

    store: Store
    attempts: Attempts = field(default_factory=Attempts)

    def keep(self) -> None:
        for key, value in self.attempts.stored().items():
            self.store.set(key, value)


@hooks(name="openbench_retries", description="Shows retries, and counts attempts in the stores of samples.")
class RetryHooks(Hooks):
    """Shows retries, and counts attempts in the stores of samples."""

    def __init__(self) -> None:
        """Create the hooks, with no sample running."""
        self._running: dict[str, _RunningSample] = {}

    async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
        """Remember the store of an attempt: requests of subtasks, which may also be retried, see other stores."""
        before = self._running.get(data.sample_id)
        running = _RunningSample(store(), before.attempts if before else Attempts())
        running.keep()
        self._running[data.sample_id] = running

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Apply the attempt timeout to graders and other roles, to which Inspect applies only the total timeout."""
        if data.config.attempt_timeout is None and not data.config.batch:
            data.config.attempt_timeout = data.config.timeout

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Show and count a retry."""
        cause = data.exception_type or "an error"
        status = f" {data.status_code}" if data.status_code else ""
        progress.current().waiting(f"retry {data.attempt} of {data.model_name}", data.wait_time, f"{cause}{status}")
        running = self._running.get(data.sample_id or "")
        attempts = running.attempts if running else current.get()
        if attempts:
            attempts.sent_again(data.wait_time)
        if running:
            running.keep()

    async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
        """Add the usage of a failed attempt, which Inspect omits from a sample's log."""
        running = self._running.get(data.sample_id)
        if running and data.will_retry:
            events = [event for event in transcript().events if isinstance(event, ModelEvent)]
            running.attempts.failed(by_model(events), by_role(events))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Forget the sample."""
        self._running.pop(data.sample_id, None)
