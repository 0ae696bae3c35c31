"""Metadata for `bench list` and `bench describe`: every benchmark, collected from the modules that pin its rows."""

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
from openbench_mcq.metadata import exams, knowledge, language, multilingual, reasoning

_MODULES = (knowledge, exams, language, multilingual, reasoning)

BENCHMARKS: dict[str, BenchmarkMetadata] = {key: of for module in _MODULES for key, of in module.BENCHMARKS.items()}
GROUPS: dict[str, BenchmarkGroup] = {key: of for module in _MODULES for key, of in module.GROUPS.items()}
