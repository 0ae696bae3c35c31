"""The dataset store: pinned rows, fetched once, verified, and read without a network.

    $OPENBENCH_DATA_DIR                     by default the user's data directory, openbench/data
        entries/<key>/manifest.json         pin, rows, digests, licence, versions and time of the fetch
        entries/<key>/rows.json.gz          the rows of a Hub dataset, exactly as `to_list()` returned them
        entries/<key>/source                or a pinned file, as published
        partial/                            entries being written; leftovers of dead processes are removed
        locks/                              one per key: one process at a time fetches a dataset

The key is a digest of the pin (source, configuration, split, revision or digest). An entry never changes: it appears
whole, by a rename, and is read without a lock. Rows without a pin and local files are never stored.
"""

import contextlib
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_data_path
from pydantic import BaseModel, ValidationError

from openbench.datasets.fetch import digest_of
from openbench.datasets.formats import InexactError, Row, parse_published, unpack
from openbench.datasets.pin import Pin
from openbench.datasets.values import content_digest, rows_digest, validation_message
from openbench.errors import DataError
from openbench.redaction import redacted_text

if TYPE_CHECKING:
    from filelock import BaseFileLock

VARIABLE = "OPENBENCH_DATA_DIR"
ENTRIES = "entries"
MANIFEST = "manifest.json"
PACKED, PUBLISHED = "rows.json.gz", "source"  # files of entries: rows of the Hub, and files as published
FORMAT = 2
_PATIENCE = 1.0  # seconds to wait for another process before reporting it

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Content:
    """Fetched rows, and a function that returns the bytes of the file to store."""

    rows: Sequence[Row]
    data: Callable[[], bytes]


class Manifest(BaseModel, frozen=True, extra="forbid"):
    """The description of an entry: its pin, the digests of its rows and its file, and the fetch."""

    pin: Pin
    rows: int
    digest: str
    sha256: str
    licence: str | None
    fetched_at: str
    versions: Mapping[str, str] = {}
    benchmarks: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the manifest as the text of its file."""
        content = {"format": FORMAT, **self.model_dump()}
        return json.dumps({**content, "checksum": content_digest(content)}, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Read a manifest or raise `ValueError`. Types are checked too, since anyone can compute the checksum."""
        content = json.loads(text)
        if not isinstance(content, dict) or "format" not in content:
            raise ValueError("it is not a manifest")
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}; this version of openbench reads format {FORMAT}")
        if content.pop("checksum", None) != content_digest(content):
            raise ValueError("it was changed: its checksum does not match")
        del content["format"]
        try:
            return cls.model_validate_json(json.dumps(content), strict=True)
        except ValidationError as error:
            raise ValueError(validation_message(error)) from None


class DamagedError(DataError):
    """An entry is damaged; `fault` states how, without the entry's name."""

    folder: Path | None = None
    fault: str = ""


class Entry:
    """An entry of a store: a folder with a manifest and a file. Reading a damaged one raises `DamagedError`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def key(self) -> str:
        """The digest of its pin."""
        return self.folder.name

    @property
    def label(self) -> str:
        """Its name in messages, even if it is damaged."""
        try:
            return self.manifest.pin.label
        except DamagedError:
            return self.key

    @cached_property
    def manifest(self) -> Manifest:
        """Its manifest."""
        try:
            manifest = Manifest.from_json((self.folder / MANIFEST).read_text("utf-8"))
        except FileNotFoundError:
            raise self.damaged(f"{MANIFEST} is missing") from None
        except (OSError, ValueError, RecursionError) as error:
            raise self.damaged(f"{MANIFEST}: {error}") from error
        if manifest.pin.key != self.key:
            raise self.damaged(f"{MANIFEST} is that of the entry {manifest.pin.key}")
        return manifest

    @property
    def file(self) -> Path:
        """The file with its rows."""
        return self.folder / _file_name(self.manifest.pin)

    def data(self) -> bytes:
        """Return the bytes of its file, and check their digest."""
        file, manifest = self.file, self.manifest
        try:
            data = file.read_bytes()
        except OSError as error:
            raise self.damaged(f"{file.name} cannot be read: {error.strerror}") from error
        digest = hashlib.sha256(data).hexdigest()
        if digest != manifest.sha256:
            raise self.damaged(f"{file.name} has the sha256 {digest[:12]}…, {manifest.sha256[:12]}… was stored")
        if manifest.pin.sha256 not in {None, digest} or manifest.pin.md5 not in {None, digest_of(data, "md5")}:
            raise self.damaged(f"{file.name} is not the file that is pinned")
        return data

    def rows(self) -> Sequence[Row]:
        """Return its rows, and check the digest of its file."""
        data = self.data()
        try:
            return _parsed(self.manifest.pin, data)
        except Exception as error:  # whatever a parser raises: the data were valid when they were stored
            why = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
            raise self.damaged(redacted_text(f"{self.file.name} cannot be parsed: {why}")) from error

    def damaged(self, fault: str) -> DamagedError:
        """Return the error for a fault, with the remedy."""
        label = self.label if "manifest" in self.__dict__ else self.key
        error = DamagedError(
            f"the stored copy of {label} is damaged: {fault} (in {self.folder}). 'bench data verify' lists all damaged "
            f"copies; 'bench data pull NAME' of its benchmark fetches it again, 'bench data rm {self.key}' removes it."
        )
        error.folder, error.fault = self.folder, fault
        return error


def _file_name(pin: Pin) -> str:
    return PACKED if pin.type == "hf" else PUBLISHED


def _parsed(pin: Pin, data: bytes) -> Sequence[Row]:
    return unpack(data) if pin.type == "hf" else parse_published(pin.type, pin.source, data, pin.options)


@dataclass(frozen=True)
class Kept:
    """Rows, their entry in the store, and whether they were just fetched; without an entry, why storing them failed."""

    rows: Sequence[Row]
    entry: Entry | None
    fetched: bool = False
    reason: str = ""


class Store:
    """A store in a folder, which may not exist yet. Writing raises `OSError` if the folder is not writable."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def here(cls) -> "Store":
        """Return the store that the environment variable names, or else the user's."""
        named = os.environ.get(VARIABLE)
        return cls(Path(named).expanduser().absolute() if named else user_data_path("openbench") / "data")

    def folder(self, key: str) -> Path:
        """Return the folder of an entry, which may not exist."""
        return self.root / ENTRIES / key

    def find(self, pin: Pin) -> Entry | None:
        """Return the entry of a pin, which may be damaged; None if there is none."""
        folder = self.folder(pin.key)
        return Entry(folder) if folder.is_dir() else None

    def get(self, pin: Pin, fetch: Callable[[], Content], *, licence: str | None = None) -> Kept:
        """Return the rows of a pin from the store, or fetch and store them; warn if they cannot be stored."""
        if entry := self.find(pin):
            return Kept(entry.rows(), entry)
        with contextlib.ExitStack() as stack:
            content = None
            try:
                stack.enter_context(self.locked(pin.key, pin.label))
                if entry := self.find(pin):  # another process may have stored it while this one waited
                    return Kept(entry.rows(), entry)
                content = fetch()
                return Kept(content.rows, self._add(pin, content, licence), fetched=True)
            except (OSError, InexactError) as error:
                why = (isinstance(error, OSError) and error.strerror) or str(error)
        reason = f"it cannot be stored in {self.root}: {why}"
        _log.warning("%s: %s; the next run fetches it again", pin.label, reason)
        return Kept((content or fetch()).rows, None, fetched=True, reason=reason)

    def _add(self, pin: Pin, content: Content, licence: str | None) -> Entry:
        """Write the entry of a pin, whose lock is held."""
        data, digest = content.data(), rows_digest(content.rows)
        if rows_digest(_parsed(pin, data)) != digest:
            raise InexactError("its rows would not come back exactly")
        manifest = Manifest(
            pin=pin,
            rows=len(content.rows),
            digest=digest,
            sha256=hashlib.sha256(data).hexdigest(),
            licence=licence,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={name: version(name) for name in ("openbench-core", "datasets")},
        )
        with self.staged(pin.key) as folder:
            new = folder / pin.key
            new.mkdir()
            (new / _file_name(pin)).write_bytes(data)
            (new / MANIFEST).write_text(manifest.to_json(), "utf-8")
            self.publish(new)
        return Entry(self.folder(pin.key))

    def lock(self, name: str) -> "BaseFileLock":
        """Return a lock, not yet acquired, which is released when its process ends, however it ends."""
        from filelock import FileLock  # noqa: PLC0415 - stored rows are read without a lock

        folder = self.root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{name}.lock")

    @contextlib.contextmanager
    def locked(self, key: str, label: str) -> Iterator[None]:
        """Hold the lock on writing an entry; wait for a process that has it."""
        from filelock import Timeout  # noqa: PLC0415 - as above

        lock = self.lock(key)
        try:
            held = lock.acquire(timeout=_PATIENCE)
        except Timeout:
            _log.warning("%s: waiting for another process that is writing it", label)
            held = lock.acquire()
        with held:
            yield

    @contextlib.contextmanager
    def staged(self, name: str) -> Iterator[Path]:
        """Make a folder for the context; its lock, `name`, is held, which shows that it is in use."""
        parent = self.root / "partial"
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f"{name}.", dir=parent, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def publish(self, staged: Path) -> None:
        """Move a staged entry into the store, durably, and replace an existing one. Its lock is held."""
        for path in (*staged.iterdir(), staged):
            fsync(path)
        target = self.folder(staged.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.rename(staged.with_name(f"{staged.name}.old"))  # removed with the staged folder
        staged.rename(target)
        fsync(target.parent)


def fsync(path: Path) -> None:
    """Flush a file or folder to disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot open folders
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
