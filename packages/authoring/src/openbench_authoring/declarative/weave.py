"""Datasets published with Weave (https://docs.wandb.ai/weave/guides/core-types/datasets)."""

import json
from collections.abc import Mapping
from typing import Any

from openbench.errors import DataError, UsageError


def published_rows(uri: str) -> list[dict[str, Any]]:
    """Fetch the rows of a published dataset, or of a published list of tables.

    Weave's own variables set the server and the user (`WF_TRACE_SERVER_URL`, `WANDB_API_KEY`). The run is not traced:
    `weave.init` is not called.

    Args:
        uri: `weave:///entity/project/object/Name:version`.

    Raises:
        UsageError: The extra `weave` is not installed.
        DataError: The dataset cannot be loaded, or is not a dataset.
    """
    try:
        import weave  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise UsageError(
            "data_type weave needs the extra weave. Install it: pip install 'openbench-authoring[weave]'"
        ) from error
    try:
        published = weave.ref(uri).get()
        rows = list(getattr(published, "rows", published))
    except Exception as error:
        raise DataError(f"{uri} cannot be read: {type(error).__name__}: {error}") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise DataError(f"row {number} of {uri} is a {type(row).__name__}, where a table is expected")
    # Values come as Weave's own kinds of texts, numbers and tables, which remember where they are from.
    return [json.loads(json.dumps(row, default=str)) for row in rows]
