"""Rows from the bytes of a file: CSV, a JSON array, or JSON Lines."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from openbench.errors import DataError

Row = Mapping[str, Any]


def parse_csv(
    data: bytes,
    label: str,
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
    dialect: str = "unix",
    fieldnames: Sequence[str] | None = None,
) -> Sequence[Row]:
    """Parse a CSV file whose first line names the columns, unless `fieldnames` does.

    Raises:
        DataError: It is in another encoding, or a row has more fields than there are columns.
    """
    text = decoded(data, label, encoding)
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
                f"where there are {len(row) - 1} columns"
            )
    return rows


def parse_json(data: bytes, label: str, *, encoding: str = "utf-8") -> Sequence[Row]:
    """Parse an array of objects, or JSON Lines.

    Raises:
        DataError: It is in another encoding, is no JSON, or a row is no object.
    """
    text = decoded(data, label, encoding)
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            # Not splitlines: JSON strings may hold the separators that it splits at, such as U+2028.
            lines = enumerate(text.split("\n"), start=1)
            rows = [_line(line, number, label) for number, line in lines if line.strip()]
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise DataError(f"{label}: its JSON is nested too deeply") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise DataError(f"row {number} of {label} is a {type(row).__name__}, where an object is expected")
    return rows  # type: ignore[no-any-return]


def decoded(data: bytes, label: str, encoding: str) -> str:
    """Decode a text; a byte order mark of UTF-8 is left out.

    Raises:
        DataError: It is in another encoding.
    """
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{label} is not {encoding}: byte {error.start} cannot be decoded") from error


def _line(line: str, number: int, label: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {number}: {error.msg} (column {error.colno})") from error
