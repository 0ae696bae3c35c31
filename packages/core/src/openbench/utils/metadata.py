"""The published import path of benchmark metadata."""

from openbench.metadata import BenchmarkMetadata

__all__ = ["BenchmarkMetadata"]
