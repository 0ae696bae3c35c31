"""Rows as an Arrow file, and back exactly: nested columns, None, bytes and all."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openbench.datasets.digests import content_digest
from openbench.datasets.files import most_unpacked
from openbench.datasets.parsing import Row

if TYPE_CHECKING:
    import pyarrow as pa

_JSON_COLUMNS = b"openbench.json"


class InexactError(ValueError):
    """Rows would not come back as they were."""


def pack(rows: Sequence[Row], table: "pa.Table") -> bytes:
    """Write the rows that a table gave.

    A column that Arrow does not give back as it is in the rows, since its values are made from it (such as JSON
    objects of any shape), is kept as JSON.

    Raises:
        InexactError: A column can be kept neither way.
    """
    import pyarrow as pa  # noqa: PLC0415 - a fifth of a second, which only stored rows need
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
    """Return how many values an array becomes in Python; what holds none of its own bytes may become any number.

    Raises:
        InexactError: It is of a type that `pack` does not write, such as a view, which may name the same bytes often.
    """
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
    """Return a column of a library's own type as what that is made of, which any process can read."""
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
        raise InexactError(f"the column {name!r} cannot be kept exactly: {error}") from error
    if not _equal([None if text is None else json.loads(text) for text in texts], values):
        raise InexactError(f"the column {name!r} cannot be kept exactly")
    return pa.array(texts, pa.large_string())


def _equal(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether values are the same with their types: 1 is not 1.0 here, and one NaN is another."""
    return content_digest(some) == content_digest(others)
