"""Published import paths of names that are defined elsewhere in the package."""

from openbench.metadata import BenchmarkMetadata
from openbench.registry.compat import fallback

__all__ = ["BenchmarkMetadata"]

__getattr__ = fallback(__name__)
