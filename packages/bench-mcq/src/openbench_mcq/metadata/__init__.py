"""Metadata for `bench list` and `bench describe`: every benchmark, collected from the modules that pin its rows."""

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
from openbench_mcq.metadata import exams, knowledge, language, multilingual, reasoning

_MODULES = (knowledge, exams, language, multilingual, reasoning)

BENCHMARKS: dict[str, BenchmarkMetadata] = {
    key: metadata for module in _MODULES for key, metadata in module.BENCHMARKS.items()
}
GROUPS: dict[str, BenchmarkGroup] = {key: group for module in _MODULES for key, group in module.GROUPS.items()}
