"""A file system whose size a test sets."""

import shutil
import subprocess
from pathlib import Path


class Disk:
    """A separate file system, whose size may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.resize(64 << 10, "none")

    def leave(self, kilobytes: int) -> None:
        """Leave only this much free space."""
        self.resize((shutil.disk_usage(self.folder).used >> 10) + kilobytes, remount="remount,")

    def make_room(self) -> None:
        """Free the space again."""
        self.resize(64 << 10, remount="remount,")

    def resize(self, kilobytes: int, *device: str, remount: str = "") -> None:
        """Mount, or mount again."""
        options = f"{remount}size={kilobytes}k"
        command = ["mount", "-t", "tmpfs", "-o", options, *device, str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)

    def unmount(self) -> None:
        """Remove the file system, at once or when it is no longer in use."""
        command = ["umount", "--lazy", str(self.folder)]
        subprocess.run(command, check=True)
