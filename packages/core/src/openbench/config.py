"""The published import path of benchmark metadata."""

from typing import Any

from openbench.metadata import BenchmarkMetadata
from openbench.registry import compat

__all__ = ["BenchmarkMetadata"]


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
