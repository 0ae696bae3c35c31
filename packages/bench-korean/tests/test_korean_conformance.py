import pytest

from openbench_testing import BenchmarkConformance

# Parts of other benchmarks, which differ only in their rows, are checked in the stress tests.
PARTS = {"haerae_bench_v1_rc", "haerae_bench_v1_wo_rc", "ko_balt_700_semantic", "ko_balt_700_syntax"}


class TestKorean(BenchmarkConformance):
    distribution = "openbench-korean"
    without = PARTS


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-korean"
    only = PARTS
