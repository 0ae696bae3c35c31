"""From a pinned source to samples."""

from openbench.datasets.rows import Rows, bundled_rows, read_configs, read_rows
from openbench.datasets.samples import RowMapping, content_digest, load_samples, validation_message

__all__ = [
    "RowMapping",
    "Rows",
    "bundled_rows",
    "content_digest",
    "load_samples",
    "read_configs",
    "read_rows",
    "validation_message",
]
