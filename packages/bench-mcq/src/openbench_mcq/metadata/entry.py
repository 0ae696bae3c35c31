"""The parts of the metadata that all benchmarks of the package share."""

from collections.abc import Mapping
from typing import Any

from openbench.metadata import BenchmarkMetadata, DatasetSource

LETTERED = "multiple-choice"

AS_WRITTEN: Mapping[str, Any] = {"keep_default_na": False}
"""Arguments to read CSV files of the Hub. By default, an option `None` or `NULL` is read as missing, and `7` as 7.0."""


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
    """Return the key of a benchmark and its metadata.

    Args:
        key: The key, which is also the name of the task function.
        module: The module of the function, without the name of the package.
        name: The display name.
        description: One sentence.
        category: The category, by which `bench list` groups benchmarks.
        tags: The tags, which `bench list --search` searches.
        dataset: The pinned source of the rows.
        samples: The number of samples by default.
        paper: The URL of the paper.
        homepage: The URL of the homepage.
        languages: The ISO 639 codes of the languages.
        notes: Notes for the interpretation of scores.
        lettered: Whether all questions have lettered options, which adds the tag `multiple-choice`.
        primary_metric: The metric that is shown in tables.
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
