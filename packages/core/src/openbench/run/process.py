"""Set-up of each `bench` process: SIGTERM interrupts it, and its output cannot control the terminal.

Containers, schedulers and `timeout` send SIGTERM. Control characters in printed text are escaped.
"""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TextIO, cast

from openbench.registry.names import escaped

# Allowed on a terminal: colours, and what redraws a line of progress, at either end of a write or as all of it.
_ALLOWED = r"(\x1b\[[\d;]*m|\A\r|\r\Z|\A(?:\n|\x1b\[A)+\Z)"
_DRAWING = r"(\x1b\[[?\d;]*[A-HJKhlm]|\r)"
_drawing = False

_REPEAT_SECONDS = 1.0
"""Another SIGTERM within this time is ignored: `timeout` sends it to the process and again to its group."""

_received: list[float] = []


class CleanStream:
    """A text stream that escapes control characters, and otherwise behaves like the stream it wraps."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, and return its length."""
        parts = re.split(_DRAWING if _drawing else _ALLOWED, text) if self._terminal else [text]
        self._stream.write("".join(part if at % 2 else escaped(part) for at, part in enumerate(parts)))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def close(self) -> None:
        """Leave the stream open, which the log handlers of some libraries would close."""


@contextmanager
def clean_output() -> Iterator[None]:
    """Filter what this process prints to stdout and stderr while the context lasts."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if (getattr(stream, "encoding", None) or "").lower() in {"ascii", "us-ascii"}:
            cast("Any", stream).reconfigure(encoding="utf-8")  # as click does, past this filter
    sys.stdout, sys.stderr = (cast("TextIO", CleanStream(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def drawing() -> Iterator[None]:
    """Let a display move the cursor, to draw on the whole terminal, while the context lasts."""
    global _drawing  # noqa: PLW0603 - there is one terminal
    _drawing = True
    try:
        yield
    finally:
        _drawing = False


def handle_sigterm() -> None:
    """Let SIGTERM interrupt this process; call it in the main thread.

    Where the signal is ignored, it stays ignored. It still terminates forked processes, unless they call this.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        return
    own = os.getpid()
    _received.clear()

    def on_sigterm(number: int, frame: FrameType | None) -> None:
        if os.getpid() != own:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        now = time.monotonic()
        again = bool(_received) and now - _received[-1] < _REPEAT_SECONDS
        _received.append(now)
        if again:
            return
        on_interrupt = signal.getsignal(signal.SIGINT)
        if callable(on_interrupt) and not isinstance(on_interrupt, signal.Handlers):
            on_interrupt(signal.SIGINT, frame)
        else:  # a background process of a script ignores Ctrl-C
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, on_sigterm)


def sigterm_received() -> bool:
    """Return whether a SIGTERM was handled."""
    return bool(_received)
