"""The requirements for every benchmark package, for pytest (`BenchmarkConformance`) and for `bench check`.

Probes run a benchmark in separate processes and report evidence; rules judge the evidence.
"""

from openbench_testing.conformance.checks import CHECKS, Check, examine
from openbench_testing.conformance.evidence import Built, Evidence, Goldens, Letters, Light, Prompts, Run, Shown
from openbench_testing.conformance.gather import conformance, gather
from openbench_testing.conformance.outcome import Outcome, Status
from openbench_testing.conformance.suite import BenchmarkConformance

__all__ = [
    "CHECKS",
    "BenchmarkConformance",
    "Built",
    "Check",
    "Evidence",
    "Goldens",
    "Letters",
    "Light",
    "Outcome",
    "Prompts",
    "Run",
    "Shown",
    "Status",
    "conformance",
    "examine",
    "gather",
]
