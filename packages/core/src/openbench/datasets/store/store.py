"""The store: finds entries, and adds them."""

import hashlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from platformdirs import user_data_path

from openbench.datasets.digests import rows_digest
from openbench.datasets.parsing import Row
from openbench.datasets.store import staging
from openbench.datasets.store.arrow import InexactError
from openbench.datasets.store.content import Content, file_name, rows_in
from openbench.datasets.store.entry import Entry
from openbench.datasets.store.manifest import MANIFEST, KeptFile, Manifest
from openbench.datasets.store.pin import KEY_DIGITS, Pin
from openbench.errors import UsageError

VARIABLE = "OPENBENCH_DATA_DIR"
ENTRIES = "entries"
_PATIENCE = 1.0  # seconds to wait for another process before saying so

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """Rows from the store.

    Attributes:
        rows: The rows.
        entry: Their entry; None if they could not be kept.
        fetched: Whether they were fetched just now.
        reason: Why they could not be kept.
    """

    rows: Sequence[Row]
    entry: Entry | None
    fetched: bool = False
    reason: str = ""


class Store:
    """The store in a folder, which need not exist yet."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def here(cls) -> "Store":
        """Return the store that the environment names, or the user's own."""
        said = os.environ.get(VARIABLE)
        return cls(Path(said).expanduser().absolute() if said else user_data_path("openbench") / "data")

    def find(self, pin: Pin) -> Entry | None:
        """Return the entry of a pin, sound or not."""
        folder = self.folder(pin.key)
        return Entry(folder) if folder.is_dir() else None

    def entries(self) -> list[Entry]:
        """Return every entry, sound or not, in the order of their keys.

        Raises:
            UsageError: The store is no folder.
        """
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(
                f"{self.root} is not a folder, so it is not a store. {VARIABLE} sets the directory of the store."
            )
        folders = (self.root / ENTRIES).glob("[0-9a-f]" * KEY_DIGITS)
        return [Entry(folder) for folder in sorted(folders) if folder.is_dir()]

    def get(self, pin: Pin, fetch: Callable[[], Content], *, licence: str | None = None) -> Kept:
        """Return the rows of a pin: stored ones, or fetched and stored now.

        Where they cannot be stored they are used all the same, and a warning says why.

        Raises:
            DamagedError: What is stored is not what it was.
            Exception: What `fetch` raises.
        """
        entry = self.find(pin)
        if entry:
            return Kept(entry.rows(), entry)
        with ExitStack() as stack:
            try:
                stack.enter_context(self.locked(pin.key, pin.label))
            except OSError as error:
                return self._unkept(fetch(), pin, error)
            entry = self.find(pin)  # perhaps another process had it while we waited
            if entry:
                return Kept(entry.rows(), entry)
            content = fetch()
            try:
                return Kept(content.rows, self._add(pin, content, licence), fetched=True)
            except (OSError, InexactError) as error:
                return self._unkept(content, pin, error)

    def _unkept(self, content: Content, pin: Pin, error: Exception) -> Kept:
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        reason = f"it cannot be kept in {self.root}: {why}"
        _log.warning("%s: %s, so that the next run fetches it again", pin.label, reason)
        return Kept(content.rows, None, fetched=True, reason=reason)

    @contextmanager
    def locked(self, key: str, label: str) -> Iterator[None]:
        """Be the one process that writes an entry; waits for another that does.

        Raises:
            OSError: The store cannot be written.
        """
        from filelock import Timeout  # noqa: PLC0415 - what is stored is read without a lock

        lock = staging.lock(self.root, key)
        try:
            lock.acquire(timeout=_PATIENCE)
        except Timeout:
            _log.warning("%s: another process is writing it; waiting", label)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _add(self, pin: Pin, content: Content, licence: str | None) -> Entry:
        """Write the entry of a pin; its lock is held."""
        data, digest = content.data(), rows_digest(content.rows)
        if rows_digest(rows_in(pin, data)) != digest:
            raise InexactError("it would not come back exactly")
        manifest = Manifest(
            pin=pin,
            rows=len(content.rows),
            digest=digest,
            licence=licence,
            file=KeptFile(file_name(pin), len(data), hashlib.sha256(data).hexdigest()),
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={name: version(name) for name in ("openbench-core", "datasets", "pyarrow")},
        )
        with staging.staged(self.root, pin.key) as folder:
            new = folder / pin.key
            new.mkdir()
            (new / manifest.file.name).write_bytes(data)
            (new / MANIFEST).write_text(manifest.to_json(), "utf-8")
            staging.publish(new, self.folder(pin.key))
        return Entry(self.folder(pin.key))

    def adopt(self, staged: Entry) -> None:
        """Put an entry of a staged folder in its place, in place of what may be there."""
        with self.locked(staged.key, staged.label):
            staging.publish(staged.folder, self.folder(staged.key))

    def note(self, entry: Entry, benchmark: str, *, licence: str | None = None) -> None:
        """Note that an entry was pulled for a benchmark, and its licence if it was not known.

        Raises:
            OSError: The store cannot be written.
        """
        if benchmark in entry.manifest.benchmarks and (entry.manifest.licence or not licence):
            return
        with self.locked(entry.key, entry.label), staging.staged(self.root, entry.key) as folder:
            manifest = Entry(entry.folder).manifest  # as another process may have left it
            names = tuple(sorted({*manifest.benchmarks, benchmark}))
            noted = replace(manifest, benchmarks=names, licence=manifest.licence or licence)
            new = folder / MANIFEST
            new.write_text(noted.to_json(), "utf-8")
            staging.sync(new)
            new.replace(entry.folder / MANIFEST)

    def remove(self, entry: Entry) -> int:
        """Remove an entry, and return how many bytes that frees.

        Raises:
            OSError: The store cannot be written.
        """
        with self.locked(entry.key, entry.label), staging.staged(self.root, entry.key) as folder:
            size = entry.size
            entry.folder.rename(folder / entry.key)
        return size

    def staged(self, name: str) -> AbstractContextManager[Path]:
        """Give a folder of the store to write in, which is gone when the context ends."""
        return staging.staged(self.root, name)

    def clean(self) -> int:
        """Remove what processes that died left half written, and return how many bytes that frees."""
        return staging.clean(self.root)

    def folder(self, key: str) -> Path:
        """Return where the entry of a key is, or would be."""
        return self.root / ENTRIES / key
