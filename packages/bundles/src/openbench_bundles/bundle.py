"""Entries of the dataset store in one file or folder, verified before anything is changed.

Beside `entries/`, laid out as in a store, a bundle has `bundle.json`, which lists their keys, so that a bundle that was
cut off between two entries is recognized as incomplete.
"""

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import re
import shutil
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from openbench.datasets import content_digest
from openbench.datasets.formats import most_unpacked
from openbench.datasets.pin import KEY_DIGITS
from openbench.datasets.store import ENTRIES, FORMAT, MANIFEST, PACKED, PUBLISHED, DamagedError, Entry, Store
from openbench.errors import DataError, UsageError
from openbench.registry.names import counted
from openbench_bundles.maintenance import verify

_KEY = rf"[0-9a-f]{{{KEY_DIGITS}}}"
_FILE = "|".join(map(re.escape, (MANIFEST, PACKED, PUBLISHED)))
_MEMBER = re.compile(rf"{ENTRIES}/({_KEY})/({_FILE})")
_FOLDER = re.compile(rf"\.?|{ENTRIES}(/{_KEY})?")
_INDEX = "bundle.json"
_SUFFIX = ".tar"
_PACKED: Mapping[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
_MOST_IN_TEXT = 2**24  # bytes of a manifest or the index, which are read whole
_IMPORT = "import"  # the lock and the staged folder of imports; not a key


@dataclass(frozen=True)
class Imported:
    """The result of an import: entries that are new, and entries that were already stored."""

    new: Sequence[Entry]
    known: Sequence[Entry]


def export_entries(entries: Sequence[Entry], target: Path) -> int:
    """Write entries to a `.tar` file, or to a folder in the store's layout; return their size in bytes.

    The same entries always give the same file.

    Raises:
        UsageError: The target already exists.
        DamagedError: An entry is damaged; nothing is written.
        OSError: The target cannot be written; nothing remains of it.
    """
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} already exists. Remove it, or choose another name.")
    for entry in entries:
        verify(entry)
    index = json.dumps({"format": FORMAT, "entries": [entry.key for entry in entries]}, indent=2).encode()
    names = [(entry, name) for entry in entries for name in (MANIFEST, entry.file.name)]
    files = [(f"{ENTRIES}/{entry.key}/{name}", entry.folder / name) for entry, name in names]
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        whole = aside / target.name
        (_write_tar if target.suffix == _SUFFIX else _write_folder)(whole, index, files)
        whole.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return sum(path.stat().st_size for _, path in files)


def bundle_digest(entries: Iterable[Entry]) -> str:
    """Return a digest of entries, their rows and their pins, 32 hex digits."""
    return content_digest(sorted((entry.key, entry.manifest.digest) for entry in entries))[:32]


def import_entries(store: Store, bundle: Path, *, digest: str | None = None) -> Imported:
    """Add the entries of a bundle to a store: all of them, or none if anything is wrong with one.

    Args:
        store: The store.
        bundle: The bundle. The pin of a Hub dataset does not identify the rows that someone stored under it.
        digest: The expected `bundle_digest`, as the export reported it.

    Raises:
        DataError: It is not a bundle, has another digest, expands to far more than its size, has an unexpected member,
            or has an entry that is damaged or already stored with other rows.
        OSError: The store cannot be written.
    """
    with store.locked(_IMPORT, "a bundle"), store.staged(_IMPORT) as folder:
        staged = [Entry(path) for path in _unpack(bundle, folder)]
        for entry in staged:
            _check(bundle, entry)
        if digest not in {None, found := bundle_digest(staged)}:
            raise DataError(f"{bundle} has the digest {found}, not {digest}: its rows differ. Nothing was imported.")
        known = [entry for entry in staged if _is_known(store, bundle, entry)]
        for entry in staged:
            if entry not in known:
                with store.locked(entry.key, entry.label):
                    store.publish(entry.folder)
        return Imported(*([Entry(store.folder(e.key)) for e in staged if (e in known) is k] for k in (False, True)))


def _check(bundle: Path, entry: Entry) -> None:
    try:
        verify(entry)
    except DamagedError as error:
        name = entry.key if error.fault.startswith(MANIFEST) else entry.label
        raise DataError(
            f"{bundle}: {name} is damaged: {error.fault}. Nothing was imported; export it again."
        ) from error


def _is_known(store: Store, bundle: Path, entry: Entry) -> bool:
    """Return whether an entry is already stored and undamaged; a damaged one is replaced."""
    found = store.find(entry.manifest.pin)
    if found is None:
        return False
    try:
        verify(found)
    except DamagedError:
        return False
    if found.manifest.digest != entry.manifest.digest:
        raise DataError(
            f"{bundle}: {entry.label} is already stored with other rows under the same pin. Nothing was "
            f"imported; run 'bench data rm {entry.key}' to import those of the bundle."
        )
    return True


def _write_tar(target: Path, index: bytes, files: Sequence[tuple[str, Path]]) -> None:
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(_member(_INDEX, len(index)), io.BytesIO(index))
        for name, path in files:
            with path.open("rb") as file:
                tar.addfile(_member(name, path.stat().st_size), file)


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)  # without owner and time, to make exports reproducible
    member.size = size
    return member


def _write_folder(target: Path, index: bytes, files: Sequence[tuple[str, Path]]) -> None:
    for name, path in files:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / name)
    (target / _INDEX).write_bytes(index)


def _unpack(bundle: Path, folder: Path) -> Sequence[Path]:
    """Copy the members of a bundle to a folder, under validated paths, and return the folders of the entries."""
    made: set[Path] = set()
    left = shutil.disk_usage(folder).free
    try:
        for name, size, source in _members(bundle):
            path = folder / _place(bundle, name)
            if path in made:
                raise _no_bundle(bundle, f"it has {name} twice")
            made.add(path)
            left -= size
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))  # noqa: TRY301 - as copying would
            if size > _MOST_IN_TEXT and path.suffix == ".json":
                raise _no_bundle(bundle, f"{name} has {size:,} bytes, which is too large")
            path.parent.mkdir(exist_ok=True)
            with path.open("wb") as target:
                shutil.copyfileobj(source, target)
        keys = _listed(bundle, folder / _INDEX)
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _no_bundle(bundle, str(error)) from error
    except OSError as error:
        if error.errno is None:  # an error of gzip or bzip2; disk errors have a number
            raise _no_bundle(bundle, str(error)) from error
        raise
    found = {path.parent.name for path in made if path.parent != folder}
    if found != set(keys):
        raise _no_bundle(bundle, f"expected {counted(len(keys), 'dataset')}, found {len(found & set(keys))}")
    return [folder / key for key in sorted(keys)]


def _listed(bundle: Path, index: Path) -> Sequence[str]:
    """Return the keys in the index of a bundle."""
    try:
        content = json.loads(index.read_text("utf-8"))
        if content["format"] == FORMAT:
            return [str(key) for key in content["entries"]]
    except FileNotFoundError:
        raise _no_bundle(bundle, f"it has no {_INDEX}, which 'bench data export' writes") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _no_bundle(bundle, f"{_INDEX} is unreadable: {error}") from error
    raise _no_bundle(bundle, f"its format is {content['format']}; this version of openbench reads format {FORMAT}")


def _place(bundle: Path, name: str) -> Path:
    """Return the path of a member in the staged folder."""
    match = _MEMBER.fullmatch(name)
    if match:
        return Path(match[1], match[2])
    if name == _INDEX:
        return Path(_INDEX)
    raise _no_bundle(bundle, f"{name!r} does not belong in a bundle")


def _no_bundle(bundle: Path, fault: str) -> DataError:
    return DataError(f"{bundle} is not a bundle, or is incomplete: {fault}. Nothing was imported.")


class _Bounded:
    """A file with a limit on the bytes read; tarfile reads some headers whole, whatever size they declare."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left = file, limit
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        """Read bytes.

        Raises:
            TarError: There would be more than the limit.
        """
        self._left -= size
        if size < 0 or self._left < 0:
            raise tarfile.ReadError("it expands to far more than its size")
        return self._file.read(size)


def _members(bundle: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Yield the path, size and content of each file of a bundle; refuse anything but regular files."""
    if bundle.is_dir():
        yield from _files_below(bundle)
        return
    with bundle.open("rb") as file:
        begin = file.read(5)
    opened = next((opener for magic, opener in _PACKED.items() if begin.startswith(magic)), open)
    limit = most_unpacked(_size_on_disk(bundle.stat()))
    with (
        opened(bundle, "rb") as plain,
        tarfile.open(fileobj=cast("IO[bytes]", _Bounded(plain, limit)), mode="r:") as tar,
    ):
        for member in tar:
            name = member.name.removeprefix("./")
            if member.isdir() and _FOLDER.fullmatch(name.rstrip("/")):
                continue
            is_file = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()
            source = tar.extractfile(member) if is_file else None
            if source is None:
                raise _no_bundle(bundle, f"{member.name!r} is not a regular file")
            if member.size > limit:
                raise _no_bundle(bundle, f"{name} has {member.size:,} bytes, which is too large")
            with source:
                yield name, member.size, source


def _size_on_disk(status: os.stat_result) -> int:
    """Return a file's allocated size in bytes, without holes."""
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def _files_below(bundle: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    for folder, folders, files in os.walk(bundle):
        for each in (*folders, *files):
            path = Path(folder, each)
            status = path.lstat()
            name = path.relative_to(bundle).as_posix()
            if stat.S_ISDIR(status.st_mode) and _FOLDER.fullmatch(name):
                continue
            if not stat.S_ISREG(status.st_mode):
                raise _no_bundle(bundle, f"{name!r} is not a regular file")
            if status.st_size > most_unpacked(_size_on_disk(status)):
                raise _no_bundle(bundle, f"{name} has {status.st_size:,} bytes, which is too large")
            with path.open("rb") as opened:
                yield name, status.st_size, opened
