from openbench_testing import BenchmarkConformance


class TestHorangi(BenchmarkConformance):
    distribution = "openbench-horangi"
