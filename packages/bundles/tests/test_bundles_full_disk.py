"""A real disk that is full gets no half bundle."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from openbench.datasets.formats import pack
from openbench.datasets.store import Content, Entry, Pin, Store
from openbench_bundles import export_entries, import_entries

pytestmark = pytest.mark.stress

FULL = "No space left on device"
PIN = Pin("org/quiz", "hf", "all", "test", "c" * 40)


class Disk:
    """A file system of its own, whose size may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.resize(64 << 10, "none")

    def leave(self, kilobytes: int) -> None:
        """Let no more room be free than this."""
        self.resize((shutil.disk_usage(self.folder).used >> 10) + kilobytes, remount="remount,")

    def make_room(self) -> None:
        """Let there be room again."""
        self.resize(64 << 10, remount="remount,")

    def resize(self, kilobytes: int, *device: str, remount: str = "") -> None:
        """Mount, or mount again."""
        options = f"{remount}size={kilobytes}k"
        command = ["mount", "-t", "tmpfs", "-o", options, *device, str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def disk(tmp_path):
    """A disk in the folder `disk`; where mounting is not allowed, its tests do not run."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        disk = Disk(folder)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("nothing may be mounted here")
    yield disk
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


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
    assert there.entries() == []
    disk.make_room()
    import_entries(there, target)
    assert [Entry(each.folder).verify() for each in there.entries()]
