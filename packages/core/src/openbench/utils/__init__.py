"""Published import paths: what plugins import from here lives elsewhere in the package."""

from typing import Any

from openbench.metadata import BenchmarkMetadata
from openbench.registry import compat

__all__ = ["BenchmarkMetadata"]


def __getattr__(name: str) -> Any:
    return compat.attribute(__name__, name)
