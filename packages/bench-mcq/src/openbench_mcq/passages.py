"""Clusters of questions about the same passage, whose results are correlated."""

from typing import Any

from openbench.datasets import content_digest
from openbench_scorers.means import clustered_stderr

_KEY = "passage"


def passage_key(passage: str) -> dict[str, Any]:
    """Return the metadata that identify a sample's passage; empty if there is no passage."""
    return {_KEY: content_digest(passage)[:16]} if passage else {}


def by_passage() -> list[Any]:
    """Return the metrics of a benchmark whose questions share passages."""
    return [clustered_stderr(_KEY)]
