from openbench_testing import BenchmarkConformance


class TestCode(BenchmarkConformance):
    distribution = "openbench-code"
