"""Runs a plugin's code under guard.

A plugin is a stranger's code. Whatever one does while it is loaded costs one problem, a few seconds at most, and
nothing else: it may raise, exit, print, or never come back. Only what never lets go of the interpreter itself, as an
extension module can, is beyond it.
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
from typing import Any, ClassVar, Self

from openbench.errors import UsageError

SECONDS_VARIABLE = "OPENBENCH_PLUGIN_TIMEOUT"
_SECONDS = 10.0
_MOST_PRINTED = 65_536


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

    # A thread that is left behind keeps the lock of the module that it imports, so that others would wait for it, too.
    _hung: ClassVar[dict[str, TookTooLongError]] = {}

    def __init__(self) -> None:
        """Make a guard.

        Raises:
            UsageError: The time limit in `OPENBENCH_PLUGIN_TIMEOUT` is no number of seconds.
        """
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

    def call(self, module: str, function: Callable[[], Any]) -> Outcome:
        """Call a function and return what came of it, a `TookTooLongError` if nothing did.

        Args:
            module: The module whose code it runs; once one has hung, it is not called again.
            function: The function.
        """
        package = module.partition(".")[0]
        if package in self._hung:
            return Outcome(None, self._hung[package], "")
        self._worker = self._worker or _Worker()
        with _Aside() as aside:
            try:
                value, error = self._worker.ask(function, self._seconds)
            except Empty:
                hung, self._worker = self._worker, None
                value, error = None, TookTooLongError(f"does not end: after {self._seconds:g} s it was {hung.where()}")
                self._hung[package] = error
        return Outcome(value, error, aside.printed)


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
        """Say at which line the thread is: the innermost one that is no part of Python itself, nor of ours."""
        frame = sys._current_frames().get(self._thread.ident or 0)  # noqa: SLF001 - documented, in spite of its name
        found = next(_foreign(frame), None)
        return f"at {found.f_code.co_filename}, line {found.f_lineno}" if found else "in code that cannot be seen"

    def _run(self) -> None:
        while (function := self._calls.get()) is not None:
            try:
                answer = function(), None
            except BaseException as error:  # noqa: BLE001 - see the module's first paragraph
                self._answers.put((None, error))
            else:
                self._answers.put(answer)


def _foreign(frame: FrameType | None) -> Iterator[FrameType]:
    while frame:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in sys.stdlib_module_names and package != __name__.partition(".")[0]:
            yield frame
        frame = frame.f_back


class _Aside:
    """Sets stdout aside, which is for results and may be JSON: Python's, and the file that lies under it."""

    def __init__(self) -> None:
        self.printed = ""

    def __enter__(self) -> Self:
        self._python = contextlib.redirect_stdout(io.StringIO())
        self._text = self._python.__enter__()
        self._pipe: tuple[int, int] | None = None
        # A process may have no standard streams, and Windows no pipes that refuse to wait.
        with contextlib.suppress(OSError, AttributeError):
            _flush()
            set_blocking = os.set_blocking
            saved = os.dup(1)
            read, write = os.pipe()
            set_blocking(read, False)
            set_blocking(write, False)  # whoever prints more than the pipe holds gets an error, and does not hang
            os.dup2(write, 1)
            os.close(write)
            self._pipe = saved, read
        return self

    def __exit__(self, *_: object) -> None:
        if self._pipe:
            saved, read = self._pipe
            _flush()
            os.dup2(saved, 1)
            os.close(saved)
            with contextlib.suppress(BlockingIOError):
                self.printed = os.read(read, _MOST_PRINTED).decode("utf-8", "replace")
            os.close(read)
        self._python.__exit__(None, None, None)
        if not self._text.closed:
            self.printed += self._text.getvalue()


def _flush() -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.__stdout__.flush()  # type: ignore[union-attr]


def _seconds() -> float:
    said = os.environ.get(SECONDS_VARIABLE, "").strip()
    try:
        seconds = float(said or _SECONDS)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise UsageError(f"{SECONDS_VARIABLE}={said}: expected a number of seconds above 0.")
    return min(seconds, threading.TIMEOUT_MAX)
