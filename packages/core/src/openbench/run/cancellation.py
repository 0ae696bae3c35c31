"""Ends what an engine runs, from wherever the reason is known: another thread, or a hook whose errors nobody sees."""

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancellation:
    """A wish that an engine end; `request` may be called in any thread, at any time.

    An engine says with `attach` that its task of an event loop can be cancelled, as an interrupt would. One that does
    not is told by `Recording.ended` that each of its jobs is given up.

    Attributes:
        requested: Whether it is to end.
    """

    def __init__(self) -> None:
        self.requested = False
        self._cancel: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def request(self) -> None:
        """Let the engine end."""
        self.requested = True
        self.cancel()

    def cancel(self) -> None:
        """Cancel what the engine runs now, once: more would disturb how it ends."""
        with self._lock:
            if self._cancel:
                self._cancel()
            self._cancel = None

    def attach(self) -> None:
        """Let the task of asyncio that calls this be cancelled; at once if that is requested for already."""
        try:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
        except RuntimeError:  # another kind of event loop
            return
        if task is None:
            return

        def cancel() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: it has ended by itself
                loop.call_soon_threadsafe(task.cancel)

        with self._lock:
            self._cancel = cancel
        if self.requested:
            self.cancel()

    def detach(self) -> None:
        """Let nothing be cancelled any more."""
        with self._lock:
            self._cancel = None
