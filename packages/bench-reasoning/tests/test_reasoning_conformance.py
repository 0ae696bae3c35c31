from openbench_testing import BenchmarkConformance


class TestReasoning(BenchmarkConformance):
    distribution = "openbench-reasoning"
