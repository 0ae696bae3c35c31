"""Load the rows of the published CSV file as samples."""

import ast
from typing import Any

from inspect_ai.dataset import Dataset, Sample

from openbench.datasets import load_samples, read_rows
from openbench_simpleqa.metadata import DATASET


def record_to_sample(record: dict[str, Any]) -> Sample:
    """Map a row: the question, the answer, and metadata (topic, answer type, sources)."""
    return Sample(input=record["problem"], target=record["answer"], metadata=_metadata(record.get("metadata")))


def get_dataset() -> Dataset:
    """Load the 4,326 questions."""
    return load_samples(read_rows(DATASET), record_to_sample, name="simpleqa")


def _metadata(text: str | None) -> dict[str, Any]:
    """Parse the column `metadata`, a Python literal."""
    if not text:
        return {}
    try:
        metadata = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"'metadata' is not a Python literal: {text[:60]!r}") from error
    return metadata if isinstance(metadata, dict) else {"metadata": metadata}
