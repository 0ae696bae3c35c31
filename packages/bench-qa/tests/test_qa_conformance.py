from openbench_testing import BenchmarkConformance


class TestQA(BenchmarkConformance):
    distribution = "openbench-qa"
