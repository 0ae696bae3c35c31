from openbench_testing import BenchmarkConformance


class TestTranslation(BenchmarkConformance):
    distribution = "openbench-translation"
