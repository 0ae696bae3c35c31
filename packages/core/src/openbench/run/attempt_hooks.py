"""Keeps what samples take besides their last attempt. It is imported late, since inspect announces every hook."""

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

from openbench.run.attempts import Attempts, current
from openbench.run.resending import send_again_always
from openbench.run.usage import by_model, by_role

send_again_always()


@dataclass
class _Running:
    """A sample of inspect's engine: the store of the attempt that runs, and what came before it."""

    store: Store
    attempts: Attempts = field(default_factory=Attempts)

    def keep(self) -> None:
        for key, value in self.attempts.stored().items():
            self.store.set(key, value)


@hooks(name="openbench_attempts", description="Keeps what failed attempts at a sample took.")
class AttemptHooks(Hooks):
    """Writes `openbench.run.attempts.KEY` into stores."""

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
        """Limit each request of graders and other roles, too: inspect hands on the timeout of all attempts alone."""
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
        """Add what a failed attempt used, of which inspect's log of a sample says nothing."""
        running = self._running.get(data.sample_id)
        if running and data.will_retry:
            events = [event for event in transcript().events if isinstance(event, ModelEvent)]
            running.attempts.failed(by_model(events), by_role(events))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """Forget a sample."""
        self._running.pop(data.sample_id, None)
