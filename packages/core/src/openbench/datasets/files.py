"""Fetches one file, checks it against its pin, and keeps a pinned one."""

import contextlib
import hashlib
import io
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from openbench.errors import DataError


def read_file(location: str, *, sha256: str | None, fs_options: Mapping[str, Any]) -> bytes:
    """Read a path or URL of any scheme that fsspec knows; a compressed file (`.gz`, `.xz`, …) is unpacked.

    The digest is that of the file as it is published, before it is unpacked. A remote file pinned by its digest is
    fetched once and kept under it in the user's cache directory; a local one is read anew, so that no change of it
    goes unseen.

    Raises:
        DataError: The file cannot be read, or its digest is not the pinned one.
    """
    kept = user_cache_path("openbench") / "files" / sha256 if sha256 and _is_remote(location) else None
    if kept and kept.is_file():
        data = kept.read_bytes()
        if hashlib.sha256(data).hexdigest() == sha256:
            return _unpacked(location, data)
    data = _fetch(location, fs_options)
    if sha256:
        received = hashlib.sha256(data).hexdigest()
        if received != sha256:
            raise DataError(
                f"{location} is not the pinned file: its sha256 is {received}, the pin says {sha256}. "
                "The source has changed; a benchmark of its own version must pin the new file."
            )
    if kept:
        with contextlib.suppress(OSError):  # without room or permission to keep it, it is fetched again next time
            _keep(kept, data)
    return _unpacked(location, data)


def _is_remote(location: str) -> bool:
    return "://" in location and not location.startswith(("file://", "local://"))


def _fetch(location: str, fs_options: Mapping[str, Any]) -> bytes:
    import fsspec  # noqa: PLC0415 - slow to import, and kept files do not need it

    try:
        with fsspec.open(location, "rb", **fs_options) as file:
            data: bytes = file.read()
    except Exception as error:
        raise DataError(f"{location} cannot be read: {type(error).__name__}: {error}") from error
    return data


def _unpacked(location: str, data: bytes) -> bytes:
    import fsspec.compression  # noqa: PLC0415 - likewise
    import fsspec.utils  # noqa: PLC0415

    compression = fsspec.utils.infer_compression(location)
    if compression is None:
        return data
    try:
        unpacked: bytes = fsspec.compression.compr[compression](io.BytesIO(data), mode="rb").read()
    except Exception as error:
        raise DataError(f"{location} cannot be unpacked: {type(error).__name__}: {error}") from error
    return unpacked


def _keep(path: Path, data: bytes) -> None:
    """Write under another name first, so that no other process ever sees half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    Path(name).replace(path)
