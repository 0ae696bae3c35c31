"""One entry: read with a check of its bytes, or gone through in full."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from openbench.datasets.digests import rows_digest
from openbench.datasets.parsing import Row
from openbench.datasets.store.content import file_name, rows_in
from openbench.datasets.store.manifest import MANIFEST, Manifest
from openbench.errors import DataError
from openbench.redaction import redacted_text


class DamagedError(DataError):
    """An entry is not as it was stored.

    Attributes:
        folder: Where it is.
        fault: What is wrong, for those who know which entry is meant.
    """

    folder: Path | None = None
    fault: str = ""


class Entry:
    """The folder of an entry."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def key(self) -> str:
        """The digest of its pin."""
        return self.folder.name

    @property
    def size(self) -> int:
        """The bytes that removing it frees."""
        return sum(path.stat().st_size for path in self.folder.iterdir() if path.is_file())

    @cached_property
    def manifest(self) -> Manifest:
        """What it says of itself.

        Raises:
            DamagedError: It cannot be read, or was changed.
        """
        path = self.folder / MANIFEST
        try:
            manifest = Manifest.from_json(path.read_text("utf-8"))
        except FileNotFoundError:
            raise self._damaged(f"{MANIFEST} is missing") from None
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._damaged(f"{MANIFEST}: {error}") from error
        if manifest.pin.key != self.key:
            raise self._damaged(f"{MANIFEST} is that of the entry {manifest.pin.key}")
        if manifest.file.name != file_name(manifest.pin):
            raise self._damaged(f"{MANIFEST} names the file {manifest.file.name!r}")
        return manifest

    @property
    def label(self) -> str:
        """What messages call it, damaged or not."""
        try:
            return self.manifest.pin.label
        except DamagedError:
            return self.key

    def data(self) -> bytes:
        """Return the bytes of its file, whose size and digest are checked.

        Raises:
            DamagedError: They are not what was stored.
        """
        kept = self.manifest.file
        path = self.folder / kept.name
        try:
            size = path.stat().st_size
            data = path.read_bytes() if size == kept.bytes else b""
        except OSError as error:
            raise self._damaged(f"{kept.name} cannot be read: {error.strerror}") from error
        if size != kept.bytes:
            raise self._damaged(f"{kept.name} has {size:,} bytes where {kept.bytes:,} were stored")
        digest = hashlib.sha256(data).hexdigest()
        if digest != kept.sha256:
            raise self._damaged(f"{kept.name} has the sha256 {digest[:12]}… where {kept.sha256[:12]}… was stored")
        if self.manifest.pin.sha256 not in {None, digest}:
            raise self._damaged(f"{kept.name} is not the file that is pinned")
        return data

    def rows(self) -> Sequence[Row]:
        """Return its rows; the size and digest of its file are checked.

        Raises:
            DamagedError: They are not what was stored.
        """
        pin, data = self.manifest.pin, self.data()
        try:
            rows = rows_in(pin, data)
        except Exception as error:  # of a parser: what was stored could be parsed
            said = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
            raise self._damaged(redacted_text(f"{self.manifest.file.name} cannot be parsed: {said}")) from error
        if len(rows) != self.manifest.rows:
            raise self._damaged(f"it gives {len(rows):,} rows where {self.manifest.rows:,} were stored")
        return rows

    def verify(self) -> Sequence[Row]:
        """Check all that can be checked, the rows' own digest and a file's pin included, and return the rows.

        Raises:
            DamagedError: Something is not what was stored.
        """
        rows = self.rows()
        if rows_digest(rows) != self.manifest.digest:
            raise self._damaged(f"its rows are not those with the digest {self.manifest.digest[:12]}…")
        return rows

    def _damaged(self, fault: str) -> DamagedError:
        label = self.label if "manifest" in self.__dict__ else self.key
        error = DamagedError(
            f"the stored copy of {label} is damaged: {fault} (in {self.folder}). 'bench data verify' names all that "
            f"are; 'bench data pull NAME' of its benchmark fetches it again, 'bench data rm {self.key}' removes it."
        )
        error.folder = self.folder
        error.fault = fault
        return error
