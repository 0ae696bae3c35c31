"""A file system of adjustable size."""

import shutil
import subprocess
from pathlib import Path


class Disk:
    """A separate file system of adjustable size."""

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
        """Mount the file system, or remount it with another size."""
        options = f"{remount}size={kilobytes}k"
        command = ["mount", "-t", "tmpfs", "-o", options, *device, str(self.folder)]
        subprocess.run(command, check=True, capture_output=True)

    def unmount(self) -> None:
        """Unmount the file system, immediately or when it is no longer in use."""
        command = ["umount", "--lazy", str(self.folder)]
        subprocess.run(command, check=True)
