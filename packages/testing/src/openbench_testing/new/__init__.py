"""The scaffold behind `bench new`: a benchmark package to start from, in one of several styles."""

from openbench_testing.new.styles import COMMON, Style

__all__ = ["COMMON", "Style"]
