"""Rows in files: CSV, JSON arrays and JSON Lines as published, and Arrow, in which the store keeps rows of the Hub."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openbench.datasets.digests import content_digest
from openbench.errors import DataError
from openbench.redaction import redacted_text

if TYPE_CHECKING:
    import pyarrow as pa

Row = Mapping[str, Any]

_JSON_COLUMNS = b"openbench.json"


class InexactError(ValueError):
    """Rows would not come back exactly as they were stored."""


def most_unpacked(packed: int) -> int:
    """Return how many bytes compressed data may become: no rows grow 200-fold, and decompression bombs do."""
    return 200 * packed + 2**26


def unpacked(location: str, data: bytes) -> bytes:
    """Decompress the data of a file whose name says that it is compressed (`.gz`, `.xz`, …), up to a limit."""
    import fsspec.compression  # noqa: PLC0415 - slow to import, and only compressed or remote files need it
    import fsspec.utils  # noqa: PLC0415

    compression = fsspec.utils.infer_compression(location)
    if compression is None:
        return data
    shown, most = redacted_text(location), most_unpacked(len(data))
    try:
        content: bytes = fsspec.compression.compr[compression](io.BytesIO(data), mode="rb").read(most + 1)
    except Exception as error:
        raise DataError(f"{shown} cannot be decompressed: {type(error).__name__}: {error}") from error
    if len(content) > most:
        raise DataError(f"{shown} cannot be decompressed: its {len(data):,} bytes become more than {most:,}")
    return content


def parse_published(kind: str, location: str, data: bytes, options: Mapping[str, Any]) -> Sequence[Row]:
    """Parse a CSV or JSON file as it is published, perhaps compressed; errors name its location without secrets."""
    parse: Callable[..., Sequence[Row]] = parse_csv if kind == "csv" else parse_json
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
    """Parse a CSV file whose first line names the columns, unless `fieldnames` does.

    Raises:
        DataError: It is in another encoding, or a row has more fields than there are columns.
    """
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
                f"where there are {len(row) - 1} columns"
            )
    return rows


def parse_json(data: bytes, label: str, *, encoding: str = "utf-8") -> Sequence[Row]:
    """Parse an array of objects, or JSON Lines.

    Raises:
        DataError: It is in another encoding, is not valid JSON, or a row is not an object.
    """
    text = _decoded(data, label, encoding)
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


def _decoded(data: bytes, label: str, encoding: str) -> str:
    """Decode a text, without a byte order mark of UTF-8."""
    try:
        return data.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{label} is not {encoding}: byte {error.start} cannot be decoded") from error


def _line(line: str, number: int, label: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{label}, line {number}: {error.msg} (column {error.colno})") from error


def pack(rows: Sequence[Row], table: "pa.Table") -> bytes:
    """Return the rows of a table as an Arrow file.

    A column is stored as JSON if Arrow does not return its values exactly, as with JSON objects of any shape.

    Raises:
        InexactError: A column can be stored neither way.
    """
    import pyarrow as pa  # noqa: PLC0415 - a fifth of a second, and only stored rows need it
    import pyarrow.ipc  # noqa: PLC0415

    columns: dict[str, pa.ChunkedArray] = {}
    as_json: list[str] = []
    for name in table.column_names:
        column, values = _plain(table.column(name)), [row[name] for row in rows]
        if not _equal(column.to_pylist(), values):
            column = pa.chunked_array([_as_json(name, values)])
            as_json.append(name)
        columns[name] = column
    packed = pa.table(columns).replace_schema_metadata({_JSON_COLUMNS: json.dumps(as_json).encode()})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, packed.schema, options=options) as file:
        file.write_table(packed)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def unpack(data: bytes) -> list[dict[str, Any]]:
    """Return the rows that `pack` wrote; `datasets` is not imported."""
    import pyarrow as pa  # noqa: PLC0415 - as above
    import pyarrow.ipc  # noqa: PLC0415

    file = pa.ipc.open_file(pa.py_buffer(data))
    batches, cells = [], 0
    for number in range(file.num_record_batches):
        batches.append(file.get_batch(number))
        batches[-1].validate(full=True)
        cells += sum(map(_cells, batches[-1].columns))
        if cells > (most := most_unpacked(len(data))):
            raise InexactError(f"{len(data):,} bytes become more than {most:,} values")
    table = pa.Table.from_batches(batches, file.schema)
    as_json = json.loads((table.schema.metadata or {}).get(_JSON_COLUMNS, b"[]"))
    columns: Mapping[str, list[Any]] = {name: table.column(name).to_pylist() for name in table.column_names}
    columns = {
        name: [None if text is None else json.loads(text) for text in values] if name in as_json else values
        for name, values in columns.items()
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _cells(array: "pa.Array") -> int:
    """Return how many Python values an array becomes; refuse types that `pack` does not write, such as views."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    kind = array.type
    if pa.types.is_struct(kind):
        return len(array) + sum(_cells(array.field(n)) for n in range(kind.num_fields))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return len(array) + _cells(array.values)
    if pa.types.is_map(kind):
        return len(array) + _cells(array.keys) + _cells(array.items)
    if kind.num_fields or pa.types.is_dictionary(kind) or "view" in str(kind) or "run_end" in str(kind):
        raise InexactError(f"its type {kind} is not one that openbench writes")
    return len(array)


def _plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return a column of an extension type as its storage type, which any process can read."""
    import pyarrow as pa  # noqa: PLC0415 - as above

    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _as_json(name: str, values: Sequence[Any]) -> "pa.Array":
    import pyarrow as pa  # noqa: PLC0415 - as above

    try:
        texts = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    except TypeError as error:
        raise InexactError(f"the column {name!r} cannot be stored exactly: {error}") from error
    if not _equal([None if text is None else json.loads(text) for text in texts], values):
        raise InexactError(f"the column {name!r} cannot be stored exactly")
    return pa.array(texts, pa.large_string())


def _equal(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether values are equal with their types: 1 is not 1.0 here, and NaN equals NaN."""
    return content_digest(some) == content_digest(others)
