"""Downloads files and checks them against their pins; retries transient errors of networks and servers.

The Hub's library and fsspec neither retry every request nor honour Retry-After, and pooch restarts each download and
supports no other schemes (s3, abfs, …): hence the retries here.
"""

import hashlib
import logging
import math
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from openbench.errors import DataError
from openbench.redaction import redacted_text

T = TypeVar("T")

PAUSES = (1.0, 2.0, 4.0)  # seconds before each retry; the Hub's library has its own within an attempt
LONGEST_PAUSE = 60.0  # seconds, even if Retry-After asks for more
OFFLINE_HINT = (  # the remedy if a pinned dataset cannot be reached
    "Run 'bench data pull' on a machine that can reach it, then 'bench data export' there and 'bench data import' here."
)
_CHUNK = 1 << 20
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
_CLIENTS = {"aiohttp", "httpcore", "httpx", "httpx2", "requests", "urllib3"}  # HTTP libraries of fsspec and the Hub

_log = logging.getLogger(__name__)


def is_remote(location: str) -> bool:
    """Return whether a file is read over a network. Local files are never stored: they may change."""
    return "://" in location and not location.startswith(("file://", "local://"))


def read_file(location: str, *, sha256: str | None, md5: str | None = None, fs_options: Mapping[str, Any]) -> bytes:
    """Read a path, or a URL of any scheme that fsspec supports.

    A pinned file with another digest is downloaded once more: without a length, a truncated transfer goes unnoticed.

    Raises:
        DataError: The file cannot be read, or its digest is not the pinned one.
    """
    pins = {name: pin for name, pin in (("sha256", sha256), ("md5", md5)) if pin is not None}
    attempts = 2 if pins and is_remote(location) else 1
    for _ in range(attempts):
        data = _read(location, fs_options, pinned=bool(pins))
        wrong = [(name, pin, digest) for name, pin in pins.items() if (digest := digest_of(data, name)) != pin]
        if not wrong:
            return data
    name, pin, digest = wrong[0]
    cut_off = " If the download was cut off twice, try again." if attempts > 1 else ""
    raise DataError(
        f"{redacted_text(location)} is not the pinned file: its {name} is {digest} ({len(data):,} bytes), the pin is "
        f"{pin}. The source has changed; pin the new file in a new version of the benchmark.{cut_off}"
    )


def digest_of(data: bytes, algorithm: str) -> str:
    """Return a digest of data in hex digits. MD5 only detects accidental changes."""
    return hashlib.new(algorithm, data, usedforsecurity=False).hexdigest()


def _read(location: str, fs_options: Mapping[str, Any], *, pinned: bool) -> bytes:
    import fsspec  # noqa: PLC0415 - slow to import, and stored files do not need it
    from tqdm import tqdm  # noqa: PLC0415 - likewise

    data, shown = bytearray(), redacted_text(location)

    def attempt() -> bytes:
        with fsspec.open(location, "rb", **fs_options) as file:
            try:
                file.seek(len(data))  # continues a broken transfer
            except (OSError, ValueError):
                data.clear()  # the server cannot resume
            name, size = shown.rpartition("/")[2], getattr(file, "size", None)
            bar = {"desc": name, "initial": len(data), "total": size, "unit": "B", "unit_scale": True, "leave": False}
            with tqdm(**bar, delay=1, disable=None) as progress:  # on a terminal, after a second
                while chunk := file.read(_CHUNK):
                    data.extend(chunk)
                    progress.update(len(chunk))
        return bytes(data)

    try:
        return with_retries(shown, attempt) if is_remote(location) else attempt()
    except Exception as error:
        hint = f". {OFFLINE_HINT}" if pinned and is_transient(error) else ""
        cause = unreachable(error) or error  # fsspec reports an unreachable host as a missing file
        raise DataError(redacted_text(f"{shown} cannot be read: {reason(cause)}{hint}")) from error


def with_retries(label: str, attempt: Callable[[], T], *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Call a function, and retry after transient errors, but not if its host is unreachable; raise the last error."""
    for number, pause in enumerate(PAUSES, start=2):
        try:
            return attempt()
        except Exception as error:
            if unreachable(error) or not is_transient(error):
                raise
            wait = min(retry_after(error) or pause * random.uniform(0.8, 1.2), LONGEST_PAUSE)  # noqa: S311 - no secret
            why = redacted_text(" ".join(reason(error).split()))[:200]
            _log.warning("%s: %s; retrying in %.0f s (attempt %d of %d)", label, why, wait, number, len(PAUSES) + 1)
            sleep(wait)
    return attempt()


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an error or its causes; None without one."""
    for holder in _responses(error):
        status = getattr(holder, "status_code", None) or getattr(holder, "status", None)
        if isinstance(status, int):
            return status
    return None


def retry_after(error: BaseException) -> float | None:
    """Return the seconds in the header Retry-After; None without one, or if it is a date."""
    for holder in _responses(error):
        try:
            seconds = float((getattr(holder, "headers", None) or {})["Retry-After"])
        except (KeyError, TypeError, ValueError):
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None


def _responses(error: BaseException) -> Iterator[object]:
    for each in chain(error):
        yield each  # some libraries put status and headers on the error itself
        yield getattr(each, "response", None)


def reason(error: BaseException) -> str:
    """Return the HTTP status of an error, which fsspec leaves out of its message, or else its type and text."""
    status = status_of(error)
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return f"{type(error).__name__}: {error}"
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:  # not a standard status
        return f"HTTP {status}"


def is_transient(error: BaseException) -> bool:
    """Return whether an error is temporary: of the network, or of an overloaded server."""
    if (status := status_of(error)) is not None:
        return status in _TRANSIENT
    return any(
        isinstance(each, ConnectionError | TimeoutError) or type(each).__module__.partition(".")[0] in _CLIENTS
        for each in chain(error)
    )


def unreachable(error: BaseException) -> BaseException | None:
    """Return the error of a host whose name does not resolve or that refuses connections; None without one."""
    return next((each for each in chain(error) if isinstance(each, socket.gaierror | ConnectionRefusedError)), None)
