import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {"aime_2025", "aime_2026", "brumo_2025", "hmmt_feb_2025", "math_500"}


class TestMath(BenchmarkConformance):
    distribution = "openbench-math"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-math"
    only = PARTS
