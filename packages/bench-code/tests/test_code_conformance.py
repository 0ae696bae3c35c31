import pytest

from openbench_testing import BenchmarkConformance

# Parts and editions, which differ from the others only in their rows, are checked in the stress session.
PARTS = {"humaneval_plus", "mbpp_plus", "mbpp_sanitized"}


class TestCode(BenchmarkConformance):
    distribution = "openbench-code"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-code"
    only = PARTS
