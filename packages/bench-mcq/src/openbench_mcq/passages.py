"""Questions about a text that others are about too: they succeed and fail together, and are a cluster."""

from typing import Any

from openbench.datasets import content_digest
from openbench_scorers.means import clustered_stderr

_KEY = "passage"


def passage_key(passage: str) -> dict[str, Any]:
    """Return the metadata that name a sample's passage; none without one."""
    return {_KEY: content_digest(passage)[:16]} if passage else {}


def by_passage() -> list[Any]:
    """Return the metrics of a benchmark whose questions share passages."""
    return [clustered_stderr(_KEY)]
