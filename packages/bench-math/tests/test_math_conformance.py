from openbench_testing import BenchmarkConformance


class TestMath(BenchmarkConformance):
    distribution = "openbench-math"
