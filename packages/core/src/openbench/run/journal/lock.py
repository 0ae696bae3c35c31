"""One command at a time: a lock that ends with its process, however that ends."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from openbench.errors import UsageError


@contextmanager
def locked(path: Path, complaint: str) -> Iterator[None]:
    """Hold the lock of a file while the context lasts.

    Args:
        path: The file; it is made, and stays.
        complaint: What to say when another process holds it.

    Raises:
        UsageError: Another process does, or the file cannot be made.
    """
    try:
        file = path.open("a+b")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
    with file:
        try:
            _lock(file)
        except OSError as error:
            raise UsageError(f"{complaint}{_holder(file)}. Wait for it to end.") from error
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        yield


def _holder(file: BinaryIO) -> str:
    with suppress(OSError):
        file.seek(0)
        if pid := file.read().decode("ascii", "replace"):
            return f" ({pid})"
    return ""


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(1 << 20)  # beyond the content, which others may read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
