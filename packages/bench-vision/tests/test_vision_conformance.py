import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {"mmmu_pro_4"}


class TestVision(BenchmarkConformance):
    distribution = "openbench-vision"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-vision"
    only = PARTS
