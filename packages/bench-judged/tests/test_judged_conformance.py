import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {"healthbench_consensus", "healthbench_hard", "hle_text"}


class TestJudged(BenchmarkConformance):
    distribution = "openbench-judged"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-judged"
    only = PARTS
