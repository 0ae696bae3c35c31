"""Rows as an Arrow file, and back exactly: nested columns, None, bytes and all."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from openbench.datasets.digests import content_digest
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

    table = pa.ipc.open_file(pa.py_buffer(data)).read_all()
    as_json = json.loads((table.schema.metadata or {}).get(_JSON_COLUMNS, b"[]"))
    columns: Mapping[str, list[Any]] = {name: table.column(name).to_pylist() for name in table.column_names}
    columns = {
        name: [None if text is None else json.loads(text) for text in values] if name in as_json else values
        for name, values in columns.items()
    }
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _plain(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return a column of a library's own type as what that is made of, which any process can read."""
    import pyarrow as pa  # noqa: PLC0415 - as above

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
