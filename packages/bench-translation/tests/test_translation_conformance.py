import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {f"wmt{year}" for year in range(15, 24)}


class TestTranslation(BenchmarkConformance):
    distribution = "openbench-translation"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-translation"
    only = PARTS
