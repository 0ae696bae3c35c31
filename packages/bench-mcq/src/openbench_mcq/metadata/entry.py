"""What all benchmarks of the package say of themselves in the same way."""

from collections.abc import Mapping
from typing import Any

from openbench.metadata import BenchmarkMetadata, DatasetSource

LETTERED = "multiple-choice"

AS_WRITTEN: Mapping[str, Any] = {"keep_default_na": False}
"""How CSV files of the Hub are read: an option `None` or `NULL` would else be missing, and a `7` beside it 7.0."""


def entry(
    key: str,
    module: str,
    name: str,
    description: str,
    *,
    category: str,
    tags: tuple[str, ...],
    dataset: DatasetSource,
    samples: int,
    paper: str,
    homepage: str,
    languages: tuple[str, ...] = ("en",),
    notes: tuple[str, ...] = (),
    lettered: bool = True,
    primary_metric: str = "accuracy",
) -> tuple[str, BenchmarkMetadata]:
    """Return the key of a benchmark, which is also its function's name, with its metadata.

    Args:
        key: The key.
        module: The module of the function, without the package's name.
        name: What people read.
        description: One sentence.
        category: What `bench list` groups by.
        tags: What `bench list --search` finds it by.
        dataset: The pinned source of its rows.
        samples: How many samples it has by default.
        paper: The URL of its paper.
        homepage: The URL of its page.
        languages: The ISO 639 codes of its languages.
        notes: What readers of a score must know.
        lettered: Whether all its questions offer lettered options; then it is tagged `multiple-choice`.
        primary_metric: The metric that stands for it in tables.
    """
    metadata = BenchmarkMetadata(
        name=name,
        description=description,
        category=category,
        tags=(LETTERED, *tags) if lettered else tags,
        module_path=f"openbench_mcq.{module}",
        function_name=key,
        builtin=True,
        dataset=dataset,
        homepage=homepage,
        paper=paper,
        samples=samples,
        primary_metric=primary_metric,
        languages=languages,
        notes=notes,
    )
    return key, metadata
