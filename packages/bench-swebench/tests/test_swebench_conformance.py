from openbench_testing import BenchmarkConformance


class TestSwebench(BenchmarkConformance):
    distribution = "openbench-swebench"
