from openbench_testing import BenchmarkConformance


class TestInstruct(BenchmarkConformance):
    distribution = "openbench-instruct"
