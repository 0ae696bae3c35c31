"""A real disk that is full gets no half bundle."""

import os

import pytest

from openbench.datasets.formats import pack
from openbench.datasets.store import Content, Entry, Pin, Store
from openbench_bundles import export_entries, import_entries
from openbench_bundles.maintenance import entries_of, verify

pytestmark = pytest.mark.stress

FULL = "No space left on device"
PIN = Pin("org/quiz", "hf", "all", "test", "c" * 40)


def content(count):
    rows = [{"id": n, "question": os.urandom(300).hex()} for n in range(count)]
    return Content(rows, lambda: pack(rows))


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "lock" not in path.name}


def test_a_full_disk_gets_no_half_bundle(disk, tmp_path):
    store = Store(tmp_path / "store")
    entry = store.get(PIN, lambda: content(1000)).entry
    target = disk.folder / "bundle.tar"
    disk.leave(100)
    with pytest.raises(OSError, match=FULL):
        export_entries([entry], target)
    assert files(disk.folder) == {}
    disk.make_room()
    export_entries([entry], target)
    there = Store(disk.folder / "store")
    disk.leave(100)
    with pytest.raises(OSError, match=FULL):
        import_entries(there, target)
    assert entries_of(there) == []
    disk.make_room()
    import_entries(there, target)
    assert [verify(Entry(each.folder)) for each in entries_of(there)]
