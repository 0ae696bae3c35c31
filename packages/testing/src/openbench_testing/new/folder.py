"""Writes a folder atomically."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder that does not exist or is empty.

    They are written elsewhere first: a failure leaves no partial folder.

    Raises:
        OSError: The folder cannot be written, or is no longer empty.
    """
    there = folder.is_dir()
    with TemporaryDirectory(dir=folder if there else folder.parent, prefix=".bench-new-") as temporary:
        whole = Path(temporary) / "whole"  # the temporary folder itself is private
        for name, data in files.items():
            path = whole / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if not there:
            whole.rename(folder)
            return
        for path in whole.iterdir():  # the folder itself is kept: it may be the shell's working directory
            path.rename(folder / path.name)
