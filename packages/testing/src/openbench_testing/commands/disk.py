"""A file system whose size a test sets."""

import shutil
import subprocess
from pathlib import Path


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

    def unmount(self) -> None:
        """Remove the file system, at once or when nothing uses it any more."""
        command = ["umount", "--lazy", str(self.folder)]
        subprocess.run(command, check=True)
