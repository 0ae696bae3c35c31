import pytest

from openbench_testing import BenchmarkConformance

# One benchmark of each kind. The others differ from these only in their rows and are checked in the stress session.
KINDS = {
    "horangi_bfcl",
    "horangi_ifeval_ko",
    "horangi_kmmlu",
    "horangi_ko_aime2025",
    "horangi_ko_arc_agi",
    "horangi_ko_hallulens_nonexistent",
    "horangi_ko_hallulens_wikiqa",
    "horangi_ko_hellaswag",
    "horangi_ko_hle",
    "horangi_ko_mtbench",
    "horangi_kobbq",
    "horangi_korean_hate_speech",
    "horangi_squad_kor_v1",
    "horangi_swebench_verified_official_80",
}


class TestHorangi(BenchmarkConformance):
    distribution = "openbench-horangi"
    only = KINDS


@pytest.mark.stress
class TestOthers(BenchmarkConformance):
    distribution = "openbench-horangi"
    without = KINDS
