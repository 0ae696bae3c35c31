"""A pause that all processes of a run keep: when one is told to slow down, the others do so, too."""

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
    """Until when requests to each model wait, in memory that is shared with processes that are divided off.

    Models share one of 64 places by their names. A time is written as a whole, so that no lock is needed.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _TIME.size * _MODELS)

    def hold(self, model: str, seconds: float) -> None:
        """Let requests to a model wait so long."""
        until = time.monotonic() + min(seconds, _MOST_SECONDS)
        place = self._place(model)
        if until > _TIME.unpack_from(self._memory, place)[0]:
            _TIME.pack_into(self._memory, place, until)

    def left(self, model: str) -> float:
        """Return the seconds for which requests to a model are still to wait."""
        until: float = _TIME.unpack_from(self._memory, self._place(model))[0]
        return max(0.0, until - time.monotonic())

    async def over(self, model: str) -> None:
        """Wait until the pause of a model is over, also if it is made longer meanwhile."""
        while left := self.left(model):  # noqa: ASYNC110 - what other processes set rings no bell here
            await asyncio.sleep(left)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()

    def _place(self, model: str) -> int:
        # Retries tell a model's own name, requests its provider's, too. The sum is one in all processes.
        return sum(model.rpartition("/")[2].encode()) % _MODELS * _TIME.size


_clock: Clock | None = None


@contextmanager
def pausing() -> Iterator[Clock]:
    """Share pauses with processes that are divided off while the context lasts."""
    global _clock  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _clock = Clock()
    try:
        yield _clock
    finally:
        _clock.close()
        _clock = None


@hooks(name="openbench_pausing", description="Lets all processes of a run wait when a model's provider asks for it.")
class PausingHooks(Hooks):
    """Keeps the pause, and tells of it."""

    def enabled(self) -> bool:
        """Return whether there are several processes."""
        return _clock is not None

    async def on_model_retry(self, data: ModelRetry) -> None:
        """Begin a pause when there are too many requests."""
        if _clock and data.status_code == _TOO_MANY_REQUESTS:
            _clock.hold(data.model_name, data.wait_time)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Wait for the end of a pause."""
        if _clock:
            await _clock.over(data.model_name)
