"""One command at a time: a lock that ends with its process, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from openbench.errors import UsageError

_PATIENCE = 10.0  # seconds that workers of a holder that died have for their end, which they come to at once
_LOOK_SECONDS = 0.01

_held: set[BinaryIO] = set()


@contextmanager
def locked(path: Path, complaint: str) -> Iterator[None]:
    """Hold the lock of a file while the context lasts; processes that are divided from this one do not hold it.

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
        _held.add(file)
        try:
            _await_workers(_of_workers(path))
            yield
        finally:
            _held.discard(file)


def _of_workers(path: Path) -> Path:
    return path.with_name(f"{path.name}.workers")


def _holder(file: BinaryIO) -> str:
    with suppress(OSError):
        file.seek(0)
        pid = file.read().decode("ascii", "replace")
        if pid.isdecimal() and _lives(int(pid)):
            return f" ({pid})"
    return ""


if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(1 << 20)  # beyond the content, which others may read
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def be_worker(path: Path) -> int:
        """Fail: no process is divided here."""
        raise NotImplementedError(path)

    def _await_workers(_path: Path) -> None:
        """Wait for nobody, likewise."""

    def _lives(_pid: int) -> bool:
        return True  # a lock ends with its process, and no other one can hold it
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def be_worker(path: Path) -> int:
        """Hold, to the end of this process, that one which was divided from the holder of a lock is at work.

        Args:
            path: The file of that lock.

        Returns:
            The open file that holds it.
        """
        descriptor = os.open(_of_workers(path), os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        return descriptor

    def _await_workers(path: Path) -> None:
        """Wait until the workers of a holder that died have seen it: until then, they may end a sample."""
        until = time.monotonic() + _PATIENCE
        with suppress(OSError), path.open("rb") as file:
            while time.monotonic() < until:
                with suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                time.sleep(_LOOK_SECONDS)

    def _lives(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # it is someone else's
            return True
        return True

    def _let_go() -> None:
        """Close what a process inherits as it is divided from another: it would hold the lock when that one is dead."""
        for file in _held:
            file.close()
        _held.clear()

    os.register_at_fork(after_in_child=_let_go)
