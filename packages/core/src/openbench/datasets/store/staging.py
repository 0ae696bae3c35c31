"""Writing that is either whole or not there: aside first, then under its name by a rename."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

_PARTIAL = "partial"
_LOCKS = "locks"


def lock(root: Path, name: str) -> "BaseFileLock":
    """Return a lock of a store, not yet taken; it is let go when its process ends, however that ends.

    Raises:
        OSError: The store cannot be written.
    """
    from filelock import FileLock  # noqa: PLC0415 - what is stored is read without a lock

    folder = root / _LOCKS
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock")


@contextlib.contextmanager
def staged(root: Path, name: str) -> Iterator[Path]:
    """Give a folder to write in, which is gone when the context ends; publish what is in it before.

    The lock `name` must be held: that is how others know that the folder has an owner.
    """
    parent = root / _PARTIAL
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, target: Path) -> None:
    """Put a folder in a staged one under its name, on the disk for good, in the place of what may be there."""
    for path in (*folder.iterdir(), folder):
        sync(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        target.rename(folder.with_name(f"{folder.name}.old"))  # goes with the staged folder
    folder.rename(target)
    sync(target.parent)


def clean(root: Path) -> int:
    """Remove what processes that died left half written, and return how many bytes that frees."""
    from filelock import Timeout  # noqa: PLC0415 - as above

    freed = 0
    for folder in sorted((root / _PARTIAL).glob("*.*")):
        name = folder.name.partition(".")[0]
        with contextlib.suppress(Timeout, OSError), lock(root, name).acquire(timeout=0):
            freed += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            shutil.rmtree(folder, ignore_errors=True)
    return freed


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
