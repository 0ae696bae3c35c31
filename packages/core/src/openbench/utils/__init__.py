"""Published import paths: what plugins import from here lives elsewhere in the package."""

from openbench.metadata import BenchmarkMetadata

__all__ = ["BenchmarkMetadata"]
