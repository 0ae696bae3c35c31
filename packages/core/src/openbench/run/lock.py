"""A lock that a process holds, perhaps with workers forked from it, and that ends with them, however they end."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from openbench.errors import UsageError

_PATIENCE = 10.0  # seconds that the workers of a holder that died have to end, which they do at once
_LOOK_SECONDS = 0.02

_held: set[BinaryIO] = set()


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
        until = time.monotonic() + _PATIENCE
        while not _lock(file):
            holder = _holder(file)
            if holder or time.monotonic() > until:
                raise UsageError(f"{complaint}{holder}. Wait for it to end.")
            time.sleep(_LOOK_SECONDS)
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        _held.add(file)
        try:
            yield
        finally:
            _held.discard(file)


def _holder(file: BinaryIO) -> str:
    """Return the process that took a lock, in parentheses after a space; nothing if it is dead."""
    with suppress(OSError, ValueError):
        file.seek(0)
        pid = int(file.read())
        return f" ({pid})" if _lives(pid) else ""
    return ""


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        file.seek(1 << 20)  # beyond the content, which others may read
        with suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False

    def _lives(_pid: int) -> bool:
        return True  # its lock ends with it

    @contextmanager
    def inherited() -> Iterator[None]:
        """Do nothing: no process is forked here."""
        yield
else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def _lives(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    @contextmanager
    def inherited() -> Iterator[None]:
        """Let the processes that are forked in the context hold the lock as well: the workers of this one."""
        before = _held.copy()
        _held.clear()
        try:
            yield
        finally:
            _held.update(before)

    def _let_go() -> None:
        """Close what a forked process inherits: one that outlives this process would hold the lock without end."""
        for file in _held:
            file.close()
        _held.clear()

    os.register_at_fork(after_in_child=_let_go)
