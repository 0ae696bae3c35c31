"""Leaves out inspect's trace of requests, two lines each in a file of its own, where nobody asked for it."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

_ASKED_FOR = ("INSPECT_LOG_LEVEL", "INSPECT_PY_LOGGER_FILE", "INSPECT_TRACE_FILE", "INSPECT_TRACE_LEVEL")


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
