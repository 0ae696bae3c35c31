"""Copies pinned rows from the store of this machine to those of workers."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from openbench.datasets import Rows
from openbench.datasets.store import DamagedError, Entry, Store
from openbench_bundles import export_entries, import_entries

_sound: set[Path] = set()  # entries that this process has verified; every shard needs them


def entries_of(read: Iterable[Rows]) -> list[Entry]:
    """Return the distinct store entries that rows were read from; unpinned rows have none."""
    kept = [rows.kept.entry for rows in read if rows.kept and rows.kept.entry]
    return list({entry.key: entry for entry in kept}.values())


def sent(entries: Sequence[Entry]) -> bytes:
    """Return entries as a bundle.

    Raises:
        DamagedError: An entry differs from what was stored.
    """
    if not entries:
        return b""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder, "data.tar")
        export_entries(entries, bundle)
        return bundle.read_bytes()


def received(keys: Sequence[str], bundle: Callable[[], bytes]) -> None:
    """Add entries to the store of this machine; the bundle is only fetched if one is missing or damaged.

    Raises:
        DataError: The bundle is damaged, or an entry already exists with other rows.
    """
    store = Store.here()
    if all(_is_sound(store.folder(key)) for key in keys):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.tar")
        path.write_bytes(bundle())
        import_entries(store, path)


def own_store() -> Path:
    """Return a worker's default dataset store, shared by all workers of this user on a machine.

    Its name is predictable; if another user has created it, a private temporary directory is used instead.
    """
    folder = Path(tempfile.gettempdir(), f"openbench-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not others_write:
        return folder / "data"
    return Path(tempfile.mkdtemp(prefix="openbench-"), "data")


def _is_sound(folder: Path) -> bool:
    if folder in _sound:
        return folder.is_dir()
    try:
        Entry(folder).data()
    except DamagedError:
        return False
    _sound.add(folder)
    return True
