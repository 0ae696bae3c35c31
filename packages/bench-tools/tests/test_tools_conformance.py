from openbench_testing import BenchmarkConformance


class TestTools(BenchmarkConformance):
    distribution = "openbench-tools"
