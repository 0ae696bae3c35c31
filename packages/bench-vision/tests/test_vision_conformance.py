from openbench_testing import BenchmarkConformance


class TestVision(BenchmarkConformance):
    distribution = "openbench-vision"
