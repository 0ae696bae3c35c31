"""The language of an answer, by the library."""

import pytest

from openbench.errors import UsageError
from openbench_scorers.language import known_languages, language, score_language

pytest.importorskip("lingua")

FEW = ("de", "en", "es", "fr", "it", "ko")

GERMAN = "Der Zug nach Hamburg fährt heute leider erst am späten Abend."


@pytest.mark.parametrize(
    ("completion", "code"),
    [
        (GERMAN, "de"),
        ("The train to Hamburg leaves late in the evening today.", "en"),
        ("Le train pour Hambourg part tard ce soir.", "fr"),
        ("El tren a Hamburgo sale tarde esta noche.", "es"),
        ("함부르크행 기차는 오늘 늦은 저녁에 출발합니다.", "ko"),
        (f"<think>They ask in German.</think>{GERMAN}", "de"),
    ],
)
def test_found(completion, code):
    score = score_language(completion, [code.upper()], FEW)
    assert (score.value, score.answer) == ("C", code)
    assert score_language(completion, ["it"], FEW).value == "I"
    assert score_language(completion, ["it", code], FEW).value == "C"


def test_what_does_not_tell():
    assert score_language("42", ["de"], FEW).reason == "scoring_failed"
    assert (score_language("", ["de"], FEW).value, score_language("", ["de"], FEW).reason) == ("I", "no_response")
    assert "'xx' is not one of the languages" in score_language(GERMAN, ["xx"]).explanation
    assert score_language(GERMAN, []).reason == "scoring_failed"
    assert len(known_languages()) == 75


@pytest.mark.parametrize(
    "options",
    [
        {"expected": "xx"},
        {"candidates": ["de", "xx"]},
        {"candidates": ["de"]},
        {"expected": "en", "candidates": ["de", "fr"]},
    ],
)
def test_refused_options(options):
    with pytest.raises(UsageError):
        language(**options)
