from openbench_testing import BenchmarkConformance


class TestMMLU(BenchmarkConformance):
    distribution = "openbench-mmlu"
