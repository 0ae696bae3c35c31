from openbench_testing import BenchmarkConformance


class TestLongContext(BenchmarkConformance):
    distribution = "openbench-longcontext"
