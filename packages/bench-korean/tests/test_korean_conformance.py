import pytest

from openbench_testing import BenchmarkConformance

# Parts of others, whose rows alone differ, are checked where time is no matter.
PARTS = {"haerae_bench_v1_rc", "haerae_bench_v1_wo_rc", "ko_balt_700_semantic", "ko_balt_700_syntax"}


class TestKorean(BenchmarkConformance):
    distribution = "openbench-korean"

    @classmethod
    def references(cls) -> tuple[str, ...]:
        return tuple(of for of in super().references() if of.partition("@")[0] not in PARTS)


@pytest.mark.stress
class TestParts(BenchmarkConformance):
    distribution = "openbench-korean"

    @classmethod
    def references(cls) -> tuple[str, ...]:
        return tuple(of for of in super().references() if of.partition("@")[0] in PARTS)
