"""Handles SIGTERM, sent by containers, schedulers and `timeout`, like Ctrl-C."""

import os
import signal
import time
from types import FrameType

_REPEAT_SECONDS = 1.0
"""Another SIGTERM within this time is ignored: `timeout` sends it to the process and again to its group."""

_received: list[float] = []


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
