"""Cancels an engine from another thread, or from a hook whose exceptions Inspect only logs."""

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancellation:
    """A request to cancel an engine, which may be made in any thread at any time.

    An engine calls `attach` in an asyncio task that can be cancelled as by an interrupt. One that does not learns from
    `Recording.ended` that its jobs do not go on.

    Attributes:
        requested: Whether cancellation was requested.
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
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                loop.call_soon_threadsafe(task.cancel)

        with self._lock:
            self._cancel = cancel
        if self.requested:
            self.cancel()

    def detach(self) -> None:
        """Make the attached task uncancellable."""
        with self._lock:
            self._cancel = None
