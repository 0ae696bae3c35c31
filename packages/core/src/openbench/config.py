"""The published import path of benchmark metadata."""

from openbench.metadata import BenchmarkMetadata
from openbench.registry.compat import fallback

__all__ = ["BenchmarkMetadata"]

__getattr__ = fallback(__name__)
