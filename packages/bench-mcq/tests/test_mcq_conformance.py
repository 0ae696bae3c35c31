from openbench_testing import BenchmarkConformance


class TestMCQ(BenchmarkConformance):
    distribution = "openbench-mcq"
