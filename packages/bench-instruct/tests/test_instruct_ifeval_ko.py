"""Tests of IFEval-Ko's checkers: their differences from IFEval, and the defects that the fixed checkers repair."""

import unicodedata

import pytest

from openbench_instruct.ifeval_ko_checkers import FAITHFUL, FIXED, count_sentences
from openbench_instruct.instructions import read_instructions

CASES = [
    ("detectable_format:constrained_response", {}, "글쎄요. 제 답변은 아니요입니다.", "제 답변은 모름입니다."),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "나는 간다.", "나는 집에 간다."),
    ("length_constraints:number_words", {"num_words": 2, "relation": "at least"}, "3.14-말 뭉치", "아침,점심,저녁"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "at least"}, "봄이다. 좋다!", "봄이다."),
    ("keywords:existence", {"keywords": ["사과"]}, "사과를 먹는다.", "배를 먹는다."),
    (
        "keywords:frequency",
        {"keyword": "눈", "frequency": 2, "relation": "at least"},
        "눈이 와서 눈을 쓴다.",
        "눈이 온다.",
    ),
    ("keywords:forbidden_words", {"forbidden_words": ["사과"]}, "배를 먹는다.", "사과 먹는다."),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "봄"},
        "겨울이다.\n\n봄 다음은 여름이다.",
        "봄 이다.\n\n여름.",
    ),
    ("startend:end_checker", {"end_phrase": "고맙습니다!"}, "끝. 고맙습니다!", "고맙습니다! 끝."),
    ("language:response_language", {"language": "ko"}, "오늘은 날씨가 아주 맑습니다.", "It is a fine day today."),
]


@pytest.mark.parametrize(("id_", "arguments", "right", "wrong"), CASES)
@pytest.mark.parametrize("checkers", [FAITHFUL, FIXED], ids=["faithful", "fixed"])
def test_each_checker_distinguishes_right_from_wrong(checkers, id_, arguments, right, wrong):
    assert checkers[id_](right, **arguments)
    assert not checkers[id_](wrong, **arguments)


@pytest.mark.parametrize(
    ("id_", "arguments", "response", "faithful", "fixed"),
    [
        ("keywords:forbidden_words", {"forbidden_words": ["사과"]}, "사과를 먹는다.", True, False),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "회사"},
            "회사는 크다.",
            False,
            True,
        ),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "봄"},
            "겨울.\n\n\n\n봄 이다.",
            False,
            True,
        ),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 2, "relation": "at least"},
            "그쪽으로 가. 나는 남는다.",
            False,
            True,
        ),
        (
            "length_constraints:number_sentences",
            {"num_sentences": 2, "relation": "less than"},
            "1. 물\n2. 불",
            False,
            True,
        ),
        ("language:response_language", {"language": "ko"}, "123", True, False),
    ],
)
def test_known_defects_are_kept_and_repaired(id_, arguments, response, faithful, fixed):
    assert FAITHFUL[id_](response, **arguments) is faithful
    assert FIXED[id_](response, **arguments) is fixed


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("봄이다", 1),
        ("봄이다. 여름이다.", 2),
        ("값은 3.14이다. example.com을 보라.", 2),
        ("Mr. Kim과 Dr. Lee가 왔다.", 1),
        ("음... 그렇다.", 2),
        ('"그래!" 하고 말했다.', 2),
        ("가. 물 나. 불 다. 흙", 1),
        ("U.S.A. 이야기다.", 1),
    ],
)
def test_sentences(text, count):
    assert count_sentences(text) == count


def test_texts_are_compared_in_nfc():
    decomposed = unicodedata.normalize("NFD", "사과를 먹는다.")
    assert decomposed != "사과를 먹는다."
    assert FAITHFUL["keywords:existence"](decomposed, keywords=["사과"])
    assert FAITHFUL["keywords:existence"]("사과를 먹는다.", keywords=[unicodedata.normalize("NFD", "사과")])


def test_arguments_are_checked_as_in_ifeval():
    with pytest.raises(ValueError, match=r"^the instruction 'length_constraints:number_words': "):
        read_instructions(["length_constraints:number_words"], [{"words": 3}], FAITHFUL)
