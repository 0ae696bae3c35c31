"""Tests of IFEval's checkers: right and wrong responses, and the defects that the fixed checkers repair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_instruct.ifeval_checkers import FAITHFUL, FIXED
from openbench_instruct.instructions import followed, read_instructions, variants

WORD = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
WORDS = st.lists(WORD, min_size=1, max_size=30)

CASES = [
    ("keywords:existence", {"keywords": ["Sun", "moon"]}, "The moon and the SUN.", "The moon."),
    ("keywords:existence", {"keywords": ["c++ ("]}, "c++ ( is text.", "c"),
    ("keywords:frequency", {"keyword": "sea", "frequency": 2, "relation": "at least"}, "Sea, overseas.", "Sea."),
    ("keywords:frequency", {"keyword": "sea", "frequency": 2, "relation": "less than"}, "Sea.", "Sea, sea."),
    ("keywords:forbidden_words", {"forbidden_words": ["cat"]}, "A category.", "A cat."),
    ("keywords:letter_frequency", {"letter": "A", "let_frequency": 2, "let_relation": "at least"}, "a A", "a"),
    ("language:response_language", {"language": "de"}, "Guten Morgen, liebe Leute!", "Good morning, dear people!"),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": "at least"}, "Go. Run.", "Go, Mr. Low."),
    ("length_constraints:number_words", {"num_words": 3, "relation": "less than"}, "two words", "now three words"),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "a\n***\nb", "a ***  *** b"),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Two"},
        'One.\n\n"two, three"',
        "Two.\n\nOne.",
    ),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "[a] and [b]", "[a"),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\n\nP. S. More.", "Bye. PS"),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "p.p.s again", "P.S. once"),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n- two", "* one\n** two **"),
    ("detectable_format:constrained_response", {}, "My answer is no. Never.", "no"),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*a* and **b**", "** and *c*"),
    ("detectable_format:multiple_sections", {"section_spliter": "Part", "num_sections": 2}, "Part 1 a Part 2", "Part"),
    ("detectable_format:json_format", {}, '```json\n{"a": 1}\n```', "{a: 1}"),
    ("detectable_format:title", {}, "<<rain>>", "<< >>"),
    ("combination:two_responses", {}, "a\n******\nb", "a ****** a"),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Say hi."}, "say HI.\nhi", "hi. Say hi."),
    ("startend:end_checker", {"end_phrase": "the end."}, '"It was The End."', "The end. Or not"),
    ("startend:quotation", {}, ' "quoted" ', '"'),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": "at least"},
        "NASA and ESA.",
        "NASA and Esa.",
    ),
    (
        "change_case:english_capital",
        {},
        "THE WEATHER WAS VERY NICE WHEN WE WALKED TO THE OLD MILL THIS MORNING.",
        "The weather is nice.",
    ),
    ("change_case:english_lowercase", {}, "the weather is very nice today.", "The weather is nice."),
    ("punctuation:no_comma", {}, "None; at all.", "One, here."),
]


@pytest.mark.parametrize(("id_", "arguments", "right", "wrong"), CASES)
@pytest.mark.parametrize("checkers", [FAITHFUL, FIXED], ids=["faithful", "fixed"])
def test_each_checker_distinguishes_right_from_wrong(checkers, id_, arguments, right, wrong):
    (instruction,) = read_instructions([id_], [arguments], checkers)
    assert followed(right, [instruction], checkers) == [True]
    assert followed(wrong, [instruction], checkers) == [False]


def test_all_25_are_tested():
    assert {id_ for id_, *_ in CASES} == set(FAITHFUL) == set(FIXED)
    assert len(FAITHFUL) == 25


# id, arguments, response, verdict as published, verdict repaired
DEFECTS = [
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 1, "first_word": "one"},
        "\n\nOne.\n\nTwo.",
        False,
        True,
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "por favor"},
        "Por favor, espere.",
        False,
        True,
    ),
    ("keywords:letter_frequency", {"letter": "#", "let_frequency": 2, "let_relation": "at least"}, "# #", False, True),
    ("language:response_language", {"language": "hi"}, "1 2 3", True, False),
    ("change_case:english_capital", {}, "THE WEATHER IS VERY NICE TODAY.", False, True),
]


@pytest.mark.parametrize(("id_", "arguments", "response", "published", "repaired"), DEFECTS)
def test_known_defects_are_kept_and_repaired(id_, arguments, response, published, repaired):
    assert FAITHFUL[id_](response, **arguments) is published
    assert FIXED[id_](response, **arguments) is repaired


def test_every_repaired_checker_is_tested():
    changed = {id_ for id_ in FAITHFUL if FAITHFUL[id_] is not FIXED[id_]}
    assert changed == {id_ for id_, *_ in DEFECTS}


@given(WORDS, st.integers(0, 40))
def test_less_than_is_the_opposite_of_at_least(words, threshold):
    text = " ".join(words)
    for id_, name in (
        ("length_constraints:number_words", "num_words"),
        ("length_constraints:number_sentences", "num_sentences"),
    ):
        found = [
            FAITHFUL[id_](text, **{name: threshold, "relation": relation}) for relation in ("less than", "at least")
        ]
        assert found[0] is not found[1]


@given(WORDS)
def test_as_many_words_as_requested_are_enough(words):
    assert FAITHFUL["length_constraints:number_words"](" ".join(words), num_words=len(words), relation="at least")


@given(st.lists(WORD, min_size=1, max_size=8))
def test_paragraphs_and_bullets_are_counted(items):
    assert FAITHFUL["length_constraints:number_paragraphs"]("\n***\n".join(items), num_paragraphs=len(items))
    bullets = "\n".join(f"* {item}" for item in items)
    assert FAITHFUL["detectable_format:number_bullet_lists"](bullets, num_bullets=len(items))


@given(st.text(max_size=300), st.sampled_from(CASES))
def test_strictly_followed_instructions_are_loosely_followed(response, case):
    id_, arguments, *_ = case
    instructions = [{"id": id_, "arguments": arguments}]
    if id_.startswith(("language", "change_case:english")):
        return
    strict, loose = (followed(response, instructions, FAITHFUL, loose=loose) for loose in (False, True))
    assert strict <= loose


@given(st.text(max_size=200))
def test_the_first_variant_is_the_response_itself(response):
    assert variants(response)[0] == response
    assert len(variants(response)) <= 8


def test_loose_scoring_ignores_a_preface_and_asterisks():
    instructions = read_instructions(["combination:repeat_prompt"], [{"prompt_to_repeat": "Say hi."}], FAITHFUL)
    response = "Sure:\n**Say hi.** Hi."
    assert followed(response, instructions, FAITHFUL) == [False]
    assert followed(response, instructions, FAITHFUL, loose=True) == [True]


def test_a_blank_response_follows_nothing():
    assert followed(" \n", [{"id": "punctuation:no_comma", "arguments": {}}], FAITHFUL, loose=True) == [False]
