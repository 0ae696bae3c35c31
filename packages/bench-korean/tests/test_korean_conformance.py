import pytest

from openbench_testing import BenchmarkConformance

# Parts of others, whose rows alone differ, are checked where time is no matter.
PARTS = {"haerae_bench_v1_rc", "haerae_bench_v1_wo_rc", "ko_balt_700_semantic", "ko_balt_700_syntax"}


class TestKorean(BenchmarkConformance):
    distribution = "openbench-korean"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-korean"
    only = PARTS
