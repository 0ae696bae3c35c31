"""Runs a plugin's code under guard.

A plugin is a stranger's code. Whatever one does while it is loaded costs one problem, a few seconds at most, and
nothing else: it may raise, exit, print, or never come back.
"""

import contextlib
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from types import FrameType, TracebackType
from typing import Any, Self

SECONDS_VARIABLE = "OPENBENCH_PLUGIN_TIMEOUT"
_SECONDS = 10.0


class TookTooLongError(Exception):
    """Code did not come back in time; the message says how long it had and where it was."""


@dataclass(frozen=True)
class Outcome:
    """What came of a call.

    Attributes:
        value: What it returned; None if it raised.
        error: What it raised, whatever it is; None if it returned.
        printed: What it wrote to stdout.
    """

    value: Any
    error: BaseException | None
    printed: str


class Guard:
    """Calls functions in a thread of their own, with a time limit and stdout set aside.

    In a thread, an exit is an exception like any other, a `KeyboardInterrupt` is the plugin's own (Python gives the
    user's to the main thread), and what never ends can be left behind.
    """

    def __init__(self) -> None:
        self._seconds = _seconds()
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        """Enter the context in which calls are made."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the thread; after an error, it may be in the middle of a call that never ends."""
        if self._worker:
            self._worker.end(wait=kind is None)

    def call(self, function: Callable[[], Any]) -> Outcome:
        """Call a function and return what came of it, a `TookTooLongError` if nothing did."""
        self._worker = self._worker or _Worker()
        with _stdout_set_aside() as printed:
            try:
                value, error = self._worker.ask(function, self._seconds)
            except Empty:
                hung, self._worker = self._worker, None
                value, error = None, TookTooLongError(f"does not end: after {self._seconds:g} s it was {hung.where()}")
        return Outcome(value, error, "" if printed.closed else printed.getvalue())


class _Worker:
    """A thread that answers one call after the other."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[], Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="openbench-plugins", daemon=True)
        self._thread.start()

    def ask(self, function: Callable[[], Any], seconds: float) -> tuple[Any, BaseException | None]:
        self._calls.put(function)
        return self._answers.get(timeout=seconds)

    def end(self, *, wait: bool) -> None:
        self._calls.put(None)
        if wait:
            self._thread.join()

    def where(self) -> str:
        """Say at which line the thread is: the innermost one that is no part of Python itself."""
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - documented, in spite of its name
        frames = list(_frames(frame))
        own = [frame for frame in frames if not _of_python(frame)]
        if not frames:
            return "at no line that is known"
        found = (own or frames)[0]
        return f"at {found.f_code.co_filename}, line {found.f_lineno}"

    def _run(self) -> None:
        while (function := self._calls.get()) is not None:
            try:
                answer = function(), None
            except BaseException as error:  # noqa: BLE001 - see the module's first paragraph
                self._answers.put((None, error))
            else:
                self._answers.put(answer)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    while frame:
        if frame.f_globals.get("__name__") != __name__:
            yield frame
        frame = frame.f_back


def _of_python(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in sys.stdlib_module_names


@contextlib.contextmanager
def _stdout_set_aside() -> Iterator[io.StringIO]:
    """Collect what is printed: stdout is for results, which may be JSON. What goes past Python goes to stderr."""
    saved = None
    with contextlib.suppress(OSError):  # a process may have no standard streams
        saved = os.dup(1)
        os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            yield printed
    finally:
        if saved is not None:
            os.dup2(saved, 1)
            os.close(saved)


def _seconds() -> float:
    try:
        return max(0.1, float(os.environ.get(SECONDS_VARIABLE, "")))
    except ValueError:
        return _SECONDS
