from openbench_testing import BenchmarkConformance


class TestJudged(BenchmarkConformance):
    distribution = "openbench-judged"
