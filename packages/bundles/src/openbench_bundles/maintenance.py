"""Lists, verifies, labels and removes entries of a dataset store; core writes and reads them."""

import contextlib
import shutil
from collections.abc import Sequence
from pathlib import Path

from filelock import Timeout

from openbench.datasets.formats import Row
from openbench.datasets.pin import KEY_DIGITS, Pin
from openbench.datasets.store import ENTRIES, MANIFEST, VARIABLE, Entry, Store, fsync
from openbench.datasets.values import rows_digest
from openbench.errors import UsageError
from openbench.metadata import DatasetSource


def entries_of(store: Store) -> list[Entry]:
    """Return all entries, damaged or not, in the order of their keys."""
    if store.root.exists() and not store.root.is_dir():
        raise UsageError(f"{store.root} is not a folder. {VARIABLE} sets the folder of the store.")
    folders = (store.root / ENTRIES).glob("[0-9a-f]" * KEY_DIGITS)
    return [Entry(folder) for folder in sorted(folders) if folder.is_dir()]


def size_of(entry: Entry) -> int:
    """Return the bytes that removing an entry frees."""
    return _size(entry.folder)


def verify(entry: Entry) -> Sequence[Row]:
    """Return the rows of an entry, after a full check including the rows' digest.

    Raises:
        DamagedError: The entry differs from what was stored.
    """
    rows = entry.rows()
    if len(rows) != entry.manifest.rows:
        raise entry.damaged(f"it has {len(rows):,} rows, but {entry.manifest.rows:,} were stored")
    if rows_digest(rows) != entry.manifest.digest:
        raise entry.damaged(f"its rows do not have the digest {entry.manifest.digest[:12]}…")
    return rows


def record_benchmark(store: Store, entry: Entry, benchmark: str, *, licence: str | None = None) -> None:
    """Record that an entry was pulled for a benchmark, and its licence if that was unknown."""
    if benchmark in entry.manifest.benchmarks and (entry.manifest.licence or not licence):
        return
    with store.locked(entry.key, entry.label), store.staged(entry.key) as folder:
        manifest = Entry(entry.folder).manifest  # another process may have changed it
        names = tuple(sorted({*manifest.benchmarks, benchmark}))
        changes = {"benchmarks": names, "licence": manifest.licence or licence}
        new = folder / MANIFEST
        new.write_text(manifest.model_copy(update=changes).to_json(), "utf-8")
        fsync(new)
        new.replace(entry.folder / MANIFEST)


def fits(pin: Pin, source: DatasetSource) -> bool:
    """Return whether rows belong to a benchmark's source, in any split and, unless it names one, any configuration."""
    if (pin.source, pin.type) != (source.source, source.type):
        return False
    if pin.type != "hf":
        digests = (source.sha256, source.md5)
        return (pin.sha256, pin.md5, pin.revision) == (*digests, None if any(digests) else source.revision)
    return pin.revision == source.revision and source.config in {None, pin.config}


def remove(store: Store, entry: Entry) -> int:
    """Remove an entry, and return the bytes freed."""
    with store.locked(entry.key, entry.label), store.staged(entry.key) as folder:
        size = size_of(entry)
        entry.folder.rename(folder / entry.key)
    return size


def clean(store: Store) -> int:
    """Remove partial writes of dead processes, and return the bytes freed."""
    freed = 0
    for folder in sorted((store.root / "partial").glob("*.*")):
        name = folder.name.partition(".")[0]
        with contextlib.suppress(Timeout, OSError), store.lock(name).acquire(timeout=0):
            freed += _size(folder)
            shutil.rmtree(folder, ignore_errors=True)
    return freed


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
