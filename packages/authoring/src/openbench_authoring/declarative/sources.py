"""The rows of a declaration, from any source."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from openbench.datasets import Rows, read_rows
from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.described import data_path, dataset_source
from openbench_authoring.declarative.weave import published_rows


def rows_of(config: BenchmarkConfig) -> Rows:
    """Read the evaluated rows.

    Raises:
        UsageError: The library that reads them is not installed.
        DataError: They cannot be loaded, or do not match their pin.
    """
    return read_rows(dataset_source(config), fetch=_fetch(config))


def shot_rows(config: BenchmarkConfig) -> Rows | None:
    """Read the rows that few-shot examples are drawn from; None if they are the evaluated ones.

    Raises:
        DataError: As `rows_of`.
    """
    source, shots = dataset_source(config), config.few_shot
    if "source" in shots:
        return read_rows(replace(source, source=data_path(config, shots["source"]), sha256=None, split="few_shot"))
    if shots.get("split") not in {None, config.split}:
        return read_rows(replace(source, split=shots["split"]))
    return None


def _fetch(config: BenchmarkConfig) -> Callable[[], Sequence[Any]] | None:
    return (lambda: _of_split(published_rows(str(config.data_source)), config.split)) if _is_published(config) else None


def _is_published(config: BenchmarkConfig) -> bool:
    return config.data_type == "weave"


def _of_split(rows: Sequence[Any], split: str | None) -> Sequence[Any]:
    """Return the rows of a split, or all rows if they have no column `split`."""
    has_splits = split is not None and any("split" in row for row in rows)
    return [row for row in rows if row.get("split") == split] if has_splits else rows
