"""Fetches one file, and checks it against its pin."""

import hashlib
import io
from collections.abc import Mapping
from typing import Any

from openbench.datasets.retrying import may_pass, out_of_reach, patiently, reason
from openbench.errors import DataError
from openbench.redaction import redacted_text

FROM_ELSEWHERE = (  # the way out where what is pinned cannot be reached
    "Fetch it where it is in reach: 'bench data pull' stores it, "
    "'bench data export' and 'bench data import' bring it here."
)
_PART = 1 << 20


def is_remote(location: str) -> bool:
    """Whether a file comes over a network; a local one is read anew each time, so that no change goes unseen."""
    return "://" in location and not location.startswith(("file://", "local://"))


def read_file(location: str, *, sha256: str | None, fs_options: Mapping[str, Any]) -> bytes:
    """Read a path or URL of any scheme that fsspec knows, as it is published.

    A transfer that breaks off goes on where it was, if the server can; one that fails is tried again, and one that
    brought another file than the pinned one is made anew once: a server that gives no length may have cut it off.

    Raises:
        DataError: The file cannot be read, or its digest is not the pinned one.
    """
    data = _read(location, fs_options, pinned=sha256 is not None)
    if sha256 is None or hashlib.sha256(data).hexdigest() == sha256:
        return data
    or_else = ""
    if is_remote(location):
        data = _read(location, fs_options, pinned=True)
        or_else = " Or it was cut off on its way, twice: then try again."
    received = hashlib.sha256(data).hexdigest()
    if received == sha256:
        return data
    raise DataError(
        f"{redacted_text(location)} is not the pinned file: its sha256 is {received} (of {len(data):,} bytes), the pin "
        f"says {sha256}. The source has changed; a benchmark of its own version must pin the new file.{or_else}"
    )


def _read(location: str, fs_options: Mapping[str, Any], *, pinned: bool) -> bytes:
    transfer, shown = _Transfer(location, fs_options), redacted_text(location)
    try:
        return patiently(shown, transfer.finish) if is_remote(location) else transfer.finish()
    except Exception as error:
        way_out = f". {FROM_ELSEWHERE}" if pinned and may_pass(error) else ""
        cause = out_of_reach(error) or error  # which fsspec calls a file that is not there
        raise DataError(redacted_text(f"{shown} cannot be read: {reason(cause)}{way_out}")) from error


def most_unpacked(packed: int) -> int:
    """Return how many bytes what is packed may become: no rows grow 200-fold, and bombs do."""
    return 200 * packed + 2**26


def unpacked(location: str, data: bytes) -> bytes:
    """Unpack the data of a compressed file (`.gz`, `.xz`, …), which its name tells.

    Raises:
        DataError: It is not what its name says.
    """
    import fsspec.compression  # noqa: PLC0415 - slow to import, and only what is read needs it
    import fsspec.utils  # noqa: PLC0415

    compression = fsspec.utils.infer_compression(location)
    if compression is None:
        return data
    shown, most = redacted_text(location), most_unpacked(len(data))
    try:
        content: bytes = fsspec.compression.compr[compression](io.BytesIO(data), mode="rb").read(most + 1)
    except Exception as error:
        raise DataError(f"{shown} cannot be unpacked: {type(error).__name__}: {error}") from error
    if len(content) > most:
        raise DataError(f"{shown} cannot be unpacked: its {len(data):,} bytes become more than {most:,}")
    return content


class _Transfer:
    """The bytes of a file so far; `finish` may be called again after it has failed."""

    def __init__(self, location: str, fs_options: Mapping[str, Any]) -> None:
        self._location = location
        self._options = fs_options
        self._data = bytearray()

    def finish(self) -> bytes:
        import fsspec  # noqa: PLC0415 - slow to import, and kept files do not need it

        with fsspec.open(self._location, "rb", **self._options) as file:
            self._go_on(file)
            with _progress(self._location, len(self._data), getattr(file, "size", None)) as bar:
                while part := file.read(_PART):
                    self._data += part
                    bar.update(len(part))
        return bytes(self._data)

    def _go_on(self, file: Any) -> None:
        """Go to the end of what is there; a file that is streamed from its start only begins anew."""
        try:
            file.seek(len(self._data))
        except (OSError, ValueError):
            self._data.clear()


def _progress(location: str, done: int, size: int | None) -> Any:
    """Return a bar, which shows on a terminal when the transfer takes more than a moment."""
    from tqdm import tqdm  # noqa: PLC0415 - likewise

    name = redacted_text(location).rpartition("/")[2]
    return tqdm(desc=name, initial=done, total=size, unit="B", unit_scale=True, delay=1, disable=None, leave=False)
