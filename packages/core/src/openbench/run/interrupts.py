"""SIGTERM, with which containers, schedulers and `timeout` end a process, does what Ctrl-C does."""

import os
import signal
import time
from types import FrameType

_SECONDS = 1.0
"""For so long, another SIGTERM is the same one: `timeout` sends it to the process, and to its whole group."""

_came: list[float] = []


def handle_sigterm() -> None:
    """Let SIGTERM interrupt this process; call it in the main thread.

    It stays ignored where it is ignored. Processes that are divided from this one end by it, unless they call this.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        return
    own = os.getpid()
    _came.clear()

    def on_sigterm(number: int, frame: FrameType | None) -> None:
        if os.getpid() != own:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        now = time.monotonic()
        again = bool(_came) and now - _came[-1] < _SECONDS
        _came.append(now)
        if again:
            return
        on_interrupt = signal.getsignal(signal.SIGINT)
        if callable(on_interrupt) and not isinstance(on_interrupt, signal.Handlers):
            on_interrupt(signal.SIGINT, frame)
        else:  # as in what a script runs in the background, whose Ctrl-C is ignored
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, on_sigterm)


def sigterm_received() -> bool:
    """Return whether a SIGTERM was heeded."""
    return bool(_came)
