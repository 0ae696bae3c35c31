from openbench_testing import BenchmarkConformance


class TestKorean(BenchmarkConformance):
    distribution = "openbench-korean"
