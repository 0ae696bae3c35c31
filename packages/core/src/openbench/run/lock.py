"""A file lock that is released when its process, and workers forked from it, end in whatever way."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from openbench.errors import UsageError

_PATIENCE = 10.0  # seconds for the workers of a dead holder to end
_POLL_SECONDS = 0.02

_held: set[BinaryIO] = set()


@contextmanager
def locked(path: Path, complaint: str) -> Iterator[None]:
    """Hold the lock of a file while the context lasts.

    Args:
        path: The file, which is created if necessary and not removed.
        complaint: The beginning of the error when another process holds the lock.

    Raises:
        UsageError: Another process holds the lock, or the file cannot be created.
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
            time.sleep(_POLL_SECONDS)
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        _held.add(file)
        try:
            yield
        finally:
            _held.discard(file)


def _holder(file: BinaryIO) -> str:
    """Return the id of the process that holds a lock, as ' (123)'; empty if that process is dead."""
    with suppress(OSError, ValueError):
        file.seek(0)
        pid = int(file.read())
        return f" ({pid})" if _is_alive(pid) else ""
    return ""


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> bool:
        file.seek(1 << 20)  # beyond the content, which other processes read
        with suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False

    def _is_alive(_pid: int) -> bool:
        return True  # its lock ends with it

    @contextmanager
    def inherited() -> Iterator[None]:
        """Do nothing: Windows does not fork."""
        yield
else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        with suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    @contextmanager
    def inherited() -> Iterator[None]:
        """Let processes that are forked while the context lasts, the workers of this one, share its locks."""
        before = _held.copy()
        _held.clear()
        try:
            yield
        finally:
            _held.update(before)

    def _close_inherited() -> None:
        """Close inherited locks in a forked process, which might outlive this one and keep them."""
        for file in _held:
            file.close()
        _held.clear()

    os.register_at_fork(after_in_child=_close_inherited)
