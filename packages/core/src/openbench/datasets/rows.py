"""Reads the rows of a source: a Hub dataset, a CSV file, a JSON file, or the few that a package brings."""

import contextlib
import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openbench.datasets.files import read_file
from openbench.errors import DataError
from openbench.metadata import DatasetSource

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Rows:
    """Rows, and what to call their source in messages."""

    label: str
    rows: Sequence[Row]


@dataclass
class _Bundled:
    directory: Path
    used: bool = False


_bundled: ContextVar[_Bundled | None] = ContextVar("bundled", default=None)


@contextlib.contextmanager
def bundled_rows(directory: Path) -> Iterator[None]:
    """Read `<directory>/<split>.jsonl` in place of any source while the context lasts (`bench eval --sample`).

    Raises:
        DataError: Nothing in the context read rows through this module, so that they were not replaced.
    """
    state = _Bundled(directory)
    token = _bundled.set(state)
    try:
        yield
    finally:
        _bundled.reset(token)
    if not state.used:
        raise DataError(f"it does not load its rows through openbench, so {directory} cannot take their place")


def read_rows(source: DatasetSource, **options: Any) -> Rows:
    """Read all rows of a source.

    Args:
        source: What to read.
        **options: For a file, `encoding`, `fs_options` (for fsspec) and, for CSV, `delimiter`, `dialect` and
            `fieldnames`; for the Hub, any further argument of `datasets.load_dataset`.

    Raises:
        DataError: The source cannot be had, is not what its pin says, or cannot be parsed.
    """
    state = _bundled.get()
    if state:
        state.used = True
        return _bundled_file(state.directory, source.split)
    match source.type:
        case "hf":
            return _hub(source, options)
        case "csv":
            return Rows(source.source, _csv(source, **options))
        case "json":
            return Rows(source.source, _json(source, **options))


def read_configs(source: DatasetSource, configs: Sequence[str], *, column: str) -> Rows:
    """Read several configurations of a Hub dataset as one, with each row's configuration in a column.

    Sample rows that a package brings hold the column themselves, and are all in one file.

    Raises:
        DataError: As `read_rows`.
    """
    if _bundled.get():
        return read_rows(source)
    rows = [{**row, column: config} for config in configs for row in read_rows(replace(source, config=config)).rows]
    return Rows(f"{source.source} {source.split}", rows)


def _bundled_file(directory: Path, split: str | None) -> Rows:
    files = sorted(directory.glob("*.jsonl"))
    named = [file for file in files if split is None or file.stem == split]
    if len(named) != 1:
        names = ", ".join(file.stem for file in files) or "none"
        raise DataError(f"{directory} has no sample rows of the split {split!r} (splits there: {names})")
    return Rows(str(named[0]), _parse_json(named[0].read_text("utf-8"), str(named[0])))


def _hub(source: DatasetSource, options: Mapping[str, Any]) -> Rows:
    if not source.split:
        raise DataError(f"{source.source}: say which split to load (split=...)")
    import datasets  # noqa: PLC0415 - it brings pandas and pyarrow, which files do not need

    label = " ".join(part for part in (source.source, source.config, source.split) if part)
    try:
        loaded = datasets.load_dataset(
            source.source, source.config, split=source.split, revision=source.revision, **options
        )
    except Exception as error:
        at = f" at {source.revision}" if source.revision else ""
        raise DataError(f"{label}{at} cannot be loaded: {type(error).__name__}: {error}") from error
    # Without an answer from the Hub, `datasets` takes the newest stored copy, whatever its revision.
    pin = source.revision if source.pinned else None
    if pin and any(pin not in Path(file["filename"]).parts for file in loaded.cache_files):
        raise DataError(
            f"{label} at {pin} cannot be loaded: the Hub does not answer, and the stored copy is of "
            "another revision. Load it once while the Hub is in reach."
        )
    return Rows(label, loaded.to_list())


def _csv(
    source: DatasetSource,
    *,
    encoding: str = "utf-8",
    fs_options: Mapping[str, Any] | None = None,
    delimiter: str | None = None,
    dialect: str = "unix",
    fieldnames: Sequence[str] | None = None,
) -> Sequence[Row]:
    text = _text(source, encoding, fs_options)
    csv.field_size_limit(2**31 - 1)  # the default refuses fields over 128 KiB, which long contexts have
    delimiter = delimiter or csv.get_dialect(dialect).delimiter
    reader = csv.DictReader(io.StringIO(text, newline=""), fieldnames, dialect=dialect, delimiter=delimiter)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise DataError(f"{source.source}, line {reader.line_num}: {error}") from error
    for number, row in enumerate(rows, start=1):
        if None in row:  # where the reader puts what is left over
            raise DataError(
                f"row {number} of {source.source} has {len(row) - 1 + len(row[None])} fields, "
                f"where there are {len(row) - 1} columns"
            )
    return rows


def _json(
    source: DatasetSource, *, encoding: str = "utf-8", fs_options: Mapping[str, Any] | None = None
) -> Sequence[Row]:
    return _parse_json(_text(source, encoding, fs_options), source.source)


def _text(source: DatasetSource, encoding: str, fs_options: Mapping[str, Any] | None) -> str:
    data = read_file(source.source, sha256=source.sha256, fs_options=fs_options or {})
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{source.source} is not {encoding}: byte {error.start} cannot be decoded") from error


def _parse_json(text: str, label: str) -> Sequence[Row]:
    """Parse an array of objects, or JSON Lines."""
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            # Not splitlines: JSON strings may hold the separators that it splits at, such as U+2028.
            lines = enumerate(text.split("\n"), start=1)
            rows = [_line(line, number, label) for number, line in lines if line.strip()]
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {error.lineno}: {error.msg}") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise DataError(f"row {number} of {label} is a {type(row).__name__}, where an object is expected")
    return rows  # type: ignore[no-any-return]


def _line(line: str, number: int, label: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {number}: {error.msg} (column {error.colno})") from error
