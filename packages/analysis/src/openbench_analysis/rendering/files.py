"""Writes what commands make beside their output."""

from pathlib import Path

from openbench.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write a file, in a folder that is created if it does not exist.

    Raises:
        UsageError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
