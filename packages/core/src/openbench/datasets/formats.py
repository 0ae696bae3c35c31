"""Rows in files: CSV, JSON and texts as published, and the form in which the store has rows of the Hub."""

import csv
import gzip
import io
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import IO, Any

from openbench.errors import DataError
from openbench.redaction import redacted_text

Row = Mapping[str, Any]

_PIECE = 1 << 24


class InexactError(ValueError):
    """Rows would not come back exactly as they were stored."""


def most_unpacked(packed: int) -> int:
    """Return how many bytes compressed data may become: no rows grow 200-fold, and decompression bombs do."""
    return 200 * packed + 2**26


def read_at_most(file: IO[bytes] | gzip.GzipFile, most: int) -> bytes:
    """Read a stream to its end, or so many bytes of it.

    It reads in pieces: a single read would allocate all of `most`, hundreds of gigabytes for images.
    """
    content = bytearray()
    while len(content) < most and (piece := file.read(min(_PIECE, most - len(content)))):
        content += piece
    return bytes(content)


def unpacked(location: str, data: bytes) -> bytes:
    """Decompress the data of a file whose name says that it is compressed (`.gz`, `.xz`, …), up to a limit."""
    import fsspec.compression  # noqa: PLC0415 - slow to import, and only compressed or remote files need it
    import fsspec.utils  # noqa: PLC0415

    compression = fsspec.utils.infer_compression(location)
    if compression is None:
        return data
    shown, most = redacted_text(location), most_unpacked(len(data))
    try:
        content = read_at_most(fsspec.compression.compr[compression](io.BytesIO(data), mode="rb"), most + 1)
    except Exception as error:
        raise DataError(f"{shown} cannot be decompressed: {type(error).__name__}: {error}") from error
    if len(content) > most:
        raise DataError(f"{shown} cannot be decompressed: its {len(data):,} bytes become more than {most:,}")
    return content


def parse_published(kind: str, location: str, data: bytes, options: Mapping[str, Any]) -> Sequence[Row]:
    """Parse a file as it is published, perhaps compressed; errors name its location without secrets.

    Of the kind `file` it stays as it is.
    """
    if kind == "file":
        return [{"bytes": data}]
    parse: Callable[..., Sequence[Row]] = {"csv": parse_csv, "json": parse_json, "text": parse_text}[kind]
    return parse(unpacked(location, data), redacted_text(location), **options)


def parse_csv(
    data: bytes,
    label: str,
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    dialect: str = "unix",
    fieldnames: Sequence[str] | None = None,
) -> Sequence[Row]:
    """Parse a CSV file whose first line names the columns, unless `fieldnames` does."""
    text = _decoded(data, label, encoding)
    csv.field_size_limit(2**31 - 1)  # the default refuses fields over 128 KiB, which long contexts have
    delimiter = delimiter or csv.get_dialect(dialect).delimiter
    reader = csv.DictReader(io.StringIO(text, newline=""), fieldnames, dialect=dialect, delimiter=delimiter)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise DataError(f"{label}, line {reader.line_num}: {error}") from error
    for number, row in enumerate(rows, start=1):
        if None in row:  # where the reader puts what is left over
            raise DataError(
                f"row {number} of {label} has {len(row) - 1 + len(row[None])} fields, "
                f"but there are {len(row) - 1} columns"
            )
    return rows


def parse_json(data: bytes, label: str, *, encoding: str = "utf-8") -> Sequence[Row]:
    """Parse an array of objects, or JSON Lines."""
    text, number = _decoded(data, label, encoding), 0
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            # Not splitlines: JSON strings may hold the separators that it splits at, such as U+2028.
            rows = []
            for number, line in enumerate(text.split("\n"), start=1):  # noqa: B007 - the error names it
                if line.strip():
                    rows.append(json.loads(line))
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {number or error.lineno}: {error.msg} (column {error.colno})") from error
    except RecursionError as error:
        raise DataError(f"{label}: its JSON is nested too deeply") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise DataError(f"row {number} of {label} is of type {type(row).__name__}, expected an object")
    return rows  # type: ignore[no-any-return]


def parse_text(data: bytes, label: str, *, encoding: str = "utf-8") -> Sequence[Row]:
    """Return a text as one row with the column `text`."""
    return [{"text": _decoded(data, label, encoding)}]


def _decoded(data: bytes, label: str, encoding: str) -> str:
    """Decode a text, without a byte order mark of UTF-8."""
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{label} is not {encoding}: byte {error.start} cannot be decoded") from error


def pack(rows: Sequence[Row]) -> bytes:
    """Return rows as compressed JSON, in which values of `_TYPES` are objects with one key.

    Raises:
        InexactError: A value is neither of JSON nor of these types.
    """
    try:
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"), default=json_value)
    except (TypeError, ValueError) as error:
        raise InexactError(f"its rows cannot be stored exactly: {error}") from error
    return gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)


def unpack(data: bytes) -> list[dict[str, Any]]:
    """Return the rows that `pack` wrote; `datasets` is not imported."""
    most = most_unpacked(len(data))
    with gzip.open(io.BytesIO(data)) as file:
        content = read_at_most(file, most + 1)
    if len(content) > most:
        raise InexactError(f"its {len(data):,} bytes become more than {most:,}")
    rows: list[dict[str, Any]] = json.loads(content, object_hook=from_json_object)
    return rows


_TYPES: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "$bytes": (bytes, lambda value: b64encode(value).decode(), b64decode),
    "$datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "$date": (date, date.isoformat, date.fromisoformat),
    "$time": (time, time.isoformat, time.fromisoformat),
    "$decimal": (Decimal, str, Decimal),
}
"""The types of values beyond those of JSON, with how each is written and read; a datetime is also a date."""


def json_value(value: Any) -> dict[str, str]:
    """Return a value of `_TYPES` as an object of JSON with one key, for `json.dumps(default=…)`.

    Raises:
        TypeError: It is of another type.
    """
    for name, (kind, write, _) in _TYPES.items():
        if isinstance(value, kind):
            return {name: write(value)}
    raise TypeError(f"a {type(value).__name__} is not JSON")


def from_json_object(value: dict[str, Any]) -> Any:
    """Return what `json_value` wrote, or the object itself, for `json.loads(object_hook=…)`."""
    if len(value) == 1:
        [(name, text)] = value.items()
        if name in _TYPES:
            return _TYPES[name][2](text)
    return value
