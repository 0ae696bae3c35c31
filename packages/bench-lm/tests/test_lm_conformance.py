from openbench_testing import BenchmarkConformance


class TestLM(BenchmarkConformance):
    distribution = "openbench-lm"
