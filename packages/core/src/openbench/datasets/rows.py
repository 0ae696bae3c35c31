"""Reads the rows of a source: a Hub dataset, a file, or the sample rows of a package."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openbench.datasets.formats import Row, pack, parse_json, parse_published
from openbench.datasets.values import rows_digest
from openbench.errors import DataError, NotStoredError, UsageError
from openbench.metadata import DatasetSource
from openbench.redaction import redacted_text

if TYPE_CHECKING:
    from openbench.datasets.store import Content, Kept

_FILE_OPTIONS: Mapping[str, Sequence[str]] = {
    "csv": ("encoding", "fs_options", "delimiter", "dialect", "fieldnames"),
    "json": ("encoding", "fs_options"),
    "text": ("encoding", "fs_options"),
    "file": ("fs_options",),
}


@dataclass(frozen=True)
class Rows:
    """The rows of a source.

    Attributes:
        label: The name of the source in messages.
        rows: The rows.
        source: The source, with its pin; None for sample rows of a package.
        kept: Their entry in the store; None if they are not pinned, or are a local file.
    """

    label: str
    rows: Sequence[Row]
    source: DatasetSource | None = field(default=None, compare=False)
    kept: "Kept | None" = field(default=None, compare=False, repr=False)

    @cached_property
    def digest(self) -> str:
        """Their SHA-256, 64 hex digits: known for stored rows, computed for others in some 10 µs a row."""
        entry = self.kept.entry if self.kept else None
        return entry.manifest.digest if entry else rows_digest(self.rows)


@dataclass
class _Bundled:
    directory: Path
    used: bool = False


_bundled: ContextVar[_Bundled | None] = ContextVar("bundled", default=None)
_read: ContextVar[tuple[list[Rows], ...]] = ContextVar("read", default=())
_stored_only: ContextVar[bool] = ContextVar("stored_only", default=False)


@contextlib.contextmanager
def rows_read() -> Iterator[list[Rows]]:
    """Collect the rows that are read in the context, those of several configurations separately.

    Contexts may be nested.
    """
    read: list[Rows] = []
    token = _read.set((*_read.get(), read))
    try:
        yield read
    finally:
        _read.reset(token)


@contextlib.contextmanager
def bundled_rows(directory: Path) -> Iterator[None]:
    """Read `<directory>/<split>.jsonl` instead of any source of rows in the context (`bench eval --sample`).

    Texts such as prompts are still read from their sources.

    Raises:
        DataError: No rows were read through this module in the context, so none were replaced.
    """
    state = _Bundled(directory)
    token = _bundled.set(state)
    try:
        yield
    finally:
        _bundled.reset(token)
    if not state.used:
        raise DataError(f"it does not read its rows through openbench, so {directory} cannot replace them")


@contextlib.contextmanager
def stored_rows() -> Iterator[None]:
    """Read only rows on this machine in the context: those in the data store and in local files.

    Reading others raises `NotStoredError`.
    """
    token = _stored_only.set(True)
    try:
        yield
    finally:
        _stored_only.reset(token)


def read_rows(source: DatasetSource, *, fetch: Callable[[], Sequence[Row]] | None = None, **options: Any) -> Rows:
    """Read all rows of a source; pinned rows are fetched once and then read from the store.

    Args:
        source: The source.
        fetch: Returns the rows of a source that is neither a file nor on the Hub.
        **options: For a file, `encoding`, `fs_options` (for fsspec) and, for CSV, `delimiter`, `dialect` and
            `fieldnames`; for the Hub, any further argument of `datasets.load_dataset`.

    Raises:
        UsageError: A file does not have one of the options, or a pinned file's address contains a secret.
        DataError: The source cannot be read or parsed, does not match its pin, or its stored copy is damaged.
    """
    known = _FILE_OPTIONS.get(source.type)
    for name in options:
        if known is not None and name not in known:
            shown = redacted_text(source.source)
            raise UsageError(f"{shown}: a {source.type} file has no option {name!r}. Options: {', '.join(known)}.")
    rows = _rows(source, fetch, options)
    for read in _read.get():
        read.append(rows)
    return rows


def read_configs(source: DatasetSource, configs: Sequence[str], *, column: str, **options: Any) -> Rows:
    """Read several configurations of a Hub dataset, and add a column with their names, which sample rows already have.

    Args:
        source: The source; its own configuration is ignored.
        configs: The configurations, in the order of their rows.
        column: The name of the column.
        **options: Further arguments of `datasets.load_dataset`.
    """
    if _bundled.get():
        return read_rows(source)
    read = {config: read_rows(replace(source, config=config), **options).rows for config in configs}
    rows = [{**row, column: config} for config, of in read.items() for row in of]
    return Rows(f"{source.source} {source.split}", rows, replace(source, config=None))


def read_parts(source: DatasetSource, read: Callable[[], Sequence[Row]]) -> Rows:
    """Read rows of several sources, such as a family's files, as one; a package's sample rows replace them all.

    Args:
        source: The source that stands for all of them.
        read: Returns the rows, all read through this module.
    """
    if _bundled.get():
        return read_rows(source)
    rows = Rows(redacted_text(source.source), read(), source)
    for each in _read.get():
        each.append(rows)
    return rows


def _rows(source: DatasetSource, fetch: Callable[[], Sequence[Row]] | None, options: Mapping[str, Any]) -> Rows:
    state = _bundled.get()
    if state and source.type != "text":
        state.used = True
        return _bundled_file(state.directory, source.split)
    # Imported here: sample rows need neither a network nor the store.
    from openbench.datasets.hub import hub_label  # noqa: PLC0415
    from openbench.datasets.pin import pin_of  # noqa: PLC0415
    from openbench.datasets.store import Store  # noqa: PLC0415

    label = hub_label(source) if source.type == "hf" else redacted_text(source.source)
    if fetch:
        _check_may_fetch(label)
        return Rows(label, fetch(), source)
    if source.type == "hf" and not source.split:
        raise DataError(f"{source.source}: the split to load is not set (split=...)")
    pin = pin_of(source, options)
    if pin is None:
        return Rows(label, _fetched(source, options).rows, source)
    kept = Store.here().get(pin, lambda: _fetched(source, options), licence=source.licence)
    return Rows(label, kept.rows, source, kept)


def _bundled_file(directory: Path, split: str | None) -> Rows:
    files = sorted(directory.glob("*.jsonl"))
    named = [file for file in files if split is None or file.stem == split]
    if len(named) != 1:
        names = ", ".join(file.stem for file in files) or "none"
        raise DataError(f"{directory} has no sample rows of the split {split!r} (splits there: {names})")
    return Rows(str(named[0]), parse_json(named[0].read_bytes(), str(named[0])))


def _check_may_fetch(label: str) -> None:
    if _stored_only.get():
        raise NotStoredError(f"{label} is not in the data store")


def _fetched(source: DatasetSource, options: Mapping[str, Any]) -> "Content":
    from openbench.datasets.fetch import is_remote, read_file  # noqa: PLC0415 - as above
    from openbench.datasets.hub import load_from_hub  # noqa: PLC0415
    from openbench.datasets.store import Content  # noqa: PLC0415

    if source.type == "hf" or is_remote(source.source):
        _check_may_fetch(redacted_text(source.source))
    if source.type == "hf":
        rows = load_from_hub(source, options)
        return Content(rows, lambda: pack(rows))
    parsing = {name: value for name, value in options.items() if name != "fs_options"}
    fs_options = options.get("fs_options") or {}
    data = read_file(source.source, sha256=source.sha256, md5=source.md5, fs_options=fs_options)
    return Content(parse_published(source.type, source.source, data, parsing), lambda: data)
