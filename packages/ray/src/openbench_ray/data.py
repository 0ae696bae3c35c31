"""Pinned rows, from the store of this machine to those of workers."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from openbench.datasets import Rows
from openbench.datasets.store import Entry, Store, export_entries, import_entries


def entries_of(read: Iterable[Rows]) -> list[Entry]:
    """Return the entries of the store that rows came from, each once; what has no pin has none."""
    kept = [rows.kept.entry for rows in read if rows.kept and rows.kept.entry]
    return list({entry.key: entry for entry in kept}.values())


def sent(entries: Sequence[Entry]) -> bytes:
    """Return entries as a bundle.

    Raises:
        DamagedError: One is not what was stored.
    """
    if not entries:
        return b""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder, "data.tar")
        export_entries(entries, bundle)
        return bundle.read_bytes()


def received(keys: Sequence[str], bundle: Callable[[], bytes]) -> None:
    """Add entries to the store of this machine; those that are there already are not asked for.

    Raises:
        DataError: The bundle is damaged, or an entry is here already with other rows.
    """
    store = Store.here()
    if all(store.folder(key).is_dir() for key in keys):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.tar")
        path.write_bytes(bundle())
        import_entries(store, path)
