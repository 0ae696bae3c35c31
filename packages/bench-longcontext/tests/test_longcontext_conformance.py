import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {"graphwalks_bfs", "graphwalks_parents", "openai_mrcr_2n", "openai_mrcr_4n", "openai_mrcr_8n"}


class TestLongContext(BenchmarkConformance):
    distribution = "openbench-longcontext"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-longcontext"
    only = PARTS
