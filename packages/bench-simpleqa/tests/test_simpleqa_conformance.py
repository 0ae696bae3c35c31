from openbench_testing import BenchmarkConformance


class TestSimpleQA(BenchmarkConformance):
    benchmark = "simpleqa"
