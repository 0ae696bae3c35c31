"""Inspect's trace of requests: two lines each in a file, which is private, and left out where nobody asked for it."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from platformdirs import user_data_path

_ASKED_FOR = ("INSPECT_LOG_LEVEL", "INSPECT_PY_LOGGER_FILE", "INSPECT_TRACE_FILE", "INSPECT_TRACE_LEVEL")


def private_traces() -> None:
    """Let nobody else read the traces of this process and of others: addresses in them have passwords."""
    folder = user_data_path("inspect_ai") / "traces"
    with suppress(OSError):  # no home, or another user's: then there is no trace either
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        (folder / f"trace-{os.getpid()}.log").touch()
        for path in folder.glob("trace-*"):
            path.chmod(0o600)


@contextmanager
def untraced() -> Iterator[None]:
    """Keep inspect's logger above its level `TRACE` while the context lasts.

    Writing the trace takes a tenth of a sample's time. Who sets one of inspect's variables about logging gets it.
    """
    logger = logging.getLogger("inspect_ai")
    before = logger.level
    trace = logging.getLevelName("TRACE")  # inspect names its level when it begins to log
    if isinstance(trace, int) and not any(map(os.environ.get, _ASKED_FOR)):
        logger.setLevel(max(before, trace + 1))
    try:
        yield
    finally:
        logger.setLevel(before)
