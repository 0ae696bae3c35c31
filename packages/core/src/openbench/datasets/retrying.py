"""Tries again what a network spoiled, after a pause that grows."""

import logging
import math
import random
import socket
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import TypeVar

from openbench.redaction import redacted_text

T = TypeVar("T")

PAUSES = (1.0, 2.0, 4.0)  # seconds before each further try; the Hub's library has tries of its own within one
MOST_PAUSE = 60.0  # of what a server asks for in Retry-After
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
_CLIENTS = {"aiohttp", "httpcore", "httpx", "httpx2", "requests", "urllib3"}  # HTTP libraries of fsspec and the Hub

_log = logging.getLogger(__name__)


def patiently(what: str, attempt: Callable[[], T], *, seconds: Callable[[float], None] = time.sleep) -> T:
    """Call a function, and call it again when it fails for a reason that may pass; a host out of reach will not.

    Args:
        what: What is being read, for the line that tells of a pause.
        attempt: The function; whatever it raised last is raised in the end.
        seconds: Waits for so many.
    """
    for number, pause in enumerate(PAUSES, start=2):
        try:
            return attempt()
        except Exception as error:
            if out_of_reach(error) or not may_pass(error):
                raise
            wait = min(asked_pause(error) or pause * random.uniform(0.8, 1.2), MOST_PAUSE)  # noqa: S311 - no secret
            said = redacted_text(" ".join(reason(error).split()))[:200]
            _log.warning("%s: %s; trying again in %.0f s, attempt %d of %d", what, said, wait, number, len(PAUSES) + 1)
            seconds(wait)
    return attempt()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Go through an error and what it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status behind an error, if there is one."""
    for each in chain(error):
        for holder in (each, getattr(each, "response", None)):
            status = getattr(holder, "status_code", None) or getattr(holder, "status", None)
            if isinstance(status, int):
                return status
    return None


def reason(error: BaseException) -> str:
    """Return what an error says: the HTTP status behind it, where there is one.

    fsspec says no more than that a file is not there, whatever the server answered.
    """
    status = status_of(error)
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return f"{type(error).__name__}: {error}"
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:  # it is none of the standard
        return f"HTTP {status}"


def may_pass(error: BaseException) -> bool:
    """Whether an error is one of the network or of a server in trouble, rather than of what was asked."""
    status = status_of(error)
    if status is not None:
        return status in _TRANSIENT
    return any(
        isinstance(each, ConnectionError | TimeoutError) or type(each).__module__.partition(".")[0] in _CLIENTS
        for each in chain(error)
    )


def out_of_reach(error: BaseException) -> BaseException | None:
    """Return what keeps a host from being reached at all: its name does not resolve, or it refuses connections."""
    return next((each for each in chain(error) if isinstance(each, socket.gaierror | ConnectionRefusedError)), None)


def asked_pause(error: BaseException) -> float | None:
    """Return the seconds that a server asks to wait (its header Retry-After); None if it asks for none that exist."""
    for each in chain(error):
        for holder in (each, getattr(each, "response", None)):
            headers = getattr(holder, "headers", None) or {}
            try:
                asked = float(headers["Retry-After"])
            except (KeyError, TypeError, ValueError):
                continue
            if math.isfinite(asked) and asked >= 0:
                return asked
    return None
