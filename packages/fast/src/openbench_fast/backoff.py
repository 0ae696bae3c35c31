"""A pause shared by all processes of a run: when a provider throttles one, all of them wait."""

import asyncio
import mmap
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.hooks import BeforeModelGenerate, Hooks, ModelRetry, hooks

_TOO_MANY_REQUESTS = 429
_MOST_SECONDS = 60.0
_MODELS = 64
_TIME = struct.Struct("d")


class Clock:
    """Until when requests to each model wait, in memory shared with forked processes.

    A hash of the model's name selects one of 64 slots. A time is written in one piece, so no lock is needed.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _TIME.size * _MODELS)

    def hold(self, model: str, seconds: float) -> None:
        """Make requests to a model wait for that many seconds."""
        until = time.monotonic() + min(seconds, _MOST_SECONDS)
        place = self._place(model)
        if until > _TIME.unpack_from(self._memory, place)[0]:
            _TIME.pack_into(self._memory, place, until)

    def left(self, model: str) -> float:
        """Return how many more seconds requests to a model must wait."""
        until: float = _TIME.unpack_from(self._memory, self._place(model))[0]
        return max(0.0, until - time.monotonic())

    async def over(self, model: str) -> None:
        """Wait until a model's pause is over, even if it is extended meanwhile."""
        while left := self.left(model):  # noqa: ASYNC110 - other processes cannot set an event here
            await asyncio.sleep(left)

    def close(self) -> None:
        """Release the memory."""
        self._memory.close()

    def _place(self, model: str) -> int:
        # Retries have the model's name alone, requests also its provider's. The sum is equal in all processes.
        return sum(model.rpartition("/")[2].encode()) % _MODELS * _TIME.size


_clock: Clock | None = None


@contextmanager
def pausing() -> Iterator[Clock]:
    """Share pauses with processes forked inside the context."""
    global _clock  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _clock = Clock()
    try:
        yield _clock
    finally:
        _clock.close()
        _clock = None


@hooks(name="openbench_pausing", description="Makes all processes of a run wait when a provider throttles one.")
class PausingHooks(Hooks):
    """Starts a pause for all processes, and waits for its end."""

    def enabled(self) -> bool:
        """Return whether there are several processes."""
        return _clock is not None

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Start a pause on status 429 (too many requests)."""
        if _clock and data.status_code == _TOO_MANY_REQUESTS:
            _clock.hold(data.model_name, data.wait_time)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Wait for the end of a pause."""
        if _clock:
            await _clock.over(data.model_name)
