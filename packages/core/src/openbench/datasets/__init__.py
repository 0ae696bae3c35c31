"""Reads rows of pinned sources, stores them, and maps them to samples.

In order of use: `pin`, `fetch` and `hub`, `store`, `rows`, `texts`, `samples`. `texts` and `samples`, which imports
inspect-ai, are imported on first use: `bench data` works without them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from openbench.datasets.rows import Rows, bundled_rows, read_configs, read_parts, read_rows, rows_read, stored_rows
from openbench.datasets.values import content_digest, rows_digest, validation_message

if TYPE_CHECKING:
    from openbench.datasets.samples import RowMapping, load_samples
    from openbench.datasets.texts import read_text

__all__ = [
    "RowMapping",
    "Rows",
    "bundled_rows",
    "content_digest",
    "load_samples",
    "read_configs",
    "read_parts",
    "read_rows",
    "read_text",
    "rows_digest",
    "rows_read",
    "stored_rows",
    "validation_message",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "texts" if name == "read_text" else "samples"
    return getattr(import_module(f"{__name__}.{module}"), name)
