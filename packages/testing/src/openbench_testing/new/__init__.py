"""`bench new`: creates a benchmark package to start from, in one of several styles."""

from openbench_testing.new.styles import COMMON, METADATA, Style

__all__ = ["COMMON", "METADATA", "Style"]
