"""File formats of rows: CSV, JSON and text as published, and compressed JSON for rows of the Hub in the store."""

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
    """Rows cannot be stored and read back unchanged."""


def most_unpacked(packed: int) -> int:
    """Return the limit in bytes of decompressed data: rows never grow 200-fold, decompression bombs do."""
    return 200 * packed + 2**26


def read_unpacked(file: IO[bytes] | gzip.GzipFile, packed: int) -> bytes:
    """Read all decompressed data of `packed` bytes, in pieces, since a single read could allocate the whole limit.

    Raises:
        InexactError: There is more data than the limit.
    """
    content, most = bytearray(), most_unpacked(packed)
    while piece := file.read(_PIECE):
        content += piece
        if len(content) > most:
            raise InexactError(f"its {packed:,} bytes become more than {most:,}")
    return bytes(content)


def unpacked(location: str, data: bytes) -> bytes:
    """Decompress the data of a file with a suffix such as `.gz` or `.xz`, up to a limit."""
    import fsspec.compression  # noqa: PLC0415 - slow to import, and only compressed or remote files need it
    import fsspec.utils  # noqa: PLC0415

    compression = fsspec.utils.infer_compression(location)
    if compression is None:
        return data
    try:
        return read_unpacked(fsspec.compression.compr[compression](io.BytesIO(data), mode="rb"), len(data))
    except Exception as error:
        why = error if isinstance(error, InexactError) else f"{type(error).__name__}: {error}"
        raise DataError(f"{redacted_text(location)} cannot be decompressed: {why}") from error


def parse_published(kind: str, location: str, data: bytes, options: Mapping[str, Any]) -> Sequence[Row]:
    """Parse a published file, which may be compressed; errors name its location without secrets.

    A file of the kind `file` becomes one row with its bytes.
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
        if None in row:  # the reader's key for surplus fields
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
            # Not splitlines, which also splits at characters that JSON strings may contain, such as U+2028.
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
    """Decode a text, without the byte order mark of UTF-8."""
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{label} is not {encoding}: byte {error.start} cannot be decoded") from error


def pack(rows: Sequence[Row]) -> bytes:
    """Return rows as compressed JSON, with values of `_TYPES` as objects with one key.

    Raises:
        InexactError: A value is neither of a type of JSON nor of these types.
    """
    try:
        text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"), default=json_value)
    except (TypeError, ValueError) as error:
        raise InexactError(f"its rows cannot be stored exactly: {error}") from error
    return gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)


def unpack(data: bytes) -> list[dict[str, Any]]:
    """Return the rows that `pack` wrote; `datasets` is not imported."""
    with gzip.open(io.BytesIO(data)) as file:
        rows: list[dict[str, Any]] = json.loads(read_unpacked(file, len(data)), object_hook=from_json_object)
    return rows


_TYPES: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "$bytes": (bytes, lambda value: b64encode(value).decode(), b64decode),
    "$datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "$date": (date, date.isoformat, date.fromisoformat),
    "$time": (time, time.isoformat, time.fromisoformat),
    "$decimal": (Decimal, str, Decimal),
}
"""The types of values besides those of JSON, with their writers and readers. A datetime is also a date."""


def json_value(value: Any) -> dict[str, str]:
    """Return a value of `_TYPES` as a JSON object with one key, for `json.dumps(default=…)`.

    Raises:
        TypeError: It is of another type.
    """
    for name, (kind, write, _) in _TYPES.items():
        if isinstance(value, kind):
            return {name: write(value)}
    raise TypeError(f"a {type(value).__name__} is not JSON")


def from_json_object(value: dict[str, Any]) -> Any:
    """Return the value that `json_value` wrote, or else the object itself, for `json.loads(object_hook=…)`."""
    if len(value) == 1:
        [(name, text)] = value.items()
        if name in _TYPES:
            return _TYPES[name][2](text)
    return value
