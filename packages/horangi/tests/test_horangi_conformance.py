import pytest

from openbench_testing import BenchmarkConformance

# One benchmark of each kind; the others differ from these in their rows alone, and are checked in the stress session.
KINDS = {
    "bfcl",
    "ifeval_ko",
    "kmmlu",
    "ko_aime2025",
    "ko_arc_agi",
    "ko_hallulens_nonexistent",
    "ko_hallulens_wikiqa",
    "ko_hellaswag",
    "ko_hle",
    "ko_mtbench",
    "kobbq",
    "korean_hate_speech",
    "squad_kor_v1",
    "swebench_verified_official_80",
}


def is_kind(reference):
    return reference.partition("@")[0].removeprefix("horangi_") in KINDS


class TestHorangi(BenchmarkConformance):
    distribution = "openbench-horangi"

    @classmethod
    def references(cls) -> tuple[str, ...]:
        return tuple(each for each in super().references() if is_kind(each))


@pytest.mark.stress
class TestOthers(BenchmarkConformance):
    distribution = "openbench-horangi"

    @classmethod
    def references(cls) -> tuple[str, ...]:
        return tuple(each for each in super().references() if not is_kind(each))
