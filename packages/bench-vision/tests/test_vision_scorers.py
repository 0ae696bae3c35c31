"""Completions and their scores; a score of None is an answer that was not found."""

import pytest
from inspect_ai.scorer import CORRECT

from openbench_vision.answers import score_letter, short_answer
from openbench_vision.chartqapro import read_list, score_relaxed
from openbench_vision.docvqa import score_anls
from openbench_vision.mathvista import _found, score_mathvista
from openbench_vision.mmmu import score_open

OPTIONS = {"A": "Downy mildew", "B": "Leaf rust", "C": "A virus", "D": "$7"}


def verdict(score):
    if score.reason:
        return None
    return score.value == CORRECT


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        ("Answer: B", True),
        ("**Answer: B**", True),
        ("B. Leaf rust", True),
        ("B. A dramatic rust", True),  # the word A is not the option A
        ("Because of its colour it must be (B), which is common.", True),
        ("The spots come from leaf rust, a fungus.", True),
        ("The overhead is $7.", False),
        ("It is downy mildew rather than leaf rust.", None),
        ("Neither (A) nor (B) fits.", None),
        ("I'm sorry, I can't help with that.", None),  # the pronoun I would be an option of ten
        ("(A) Downy mildew\n(B) Leaf rust\n(C) A virus\n(D) $7", None),
        ("", None),
        ("<think>Leaf rust?</think>Answer: A", False),
    ],
)
def test_letters(completion, expected):
    assert verdict(score_letter(completion, "B", OPTIONS)) is expected


def test_nothing_read_is_never_a_random_letter():
    scores = {
        score_letter("No idea, sorry.", letter, dict.fromkeys("ABCDEFGHIJ", "?")).value for letter in "ABCDEFGHIJ"
    }
    assert CORRECT not in scores


@pytest.mark.parametrize(
    ("completion", "target", "expected"),
    [
        ("Answer: 5", "5", True),
        ("The way is 5 m.", "5", True),
        ("It takes 3 + 2 = 5", "5", True),
        ("It is 15.", "5", False),
        ("The cost is $7,243,000.00", "7243000", True),
        ("so about 0.286", "0.286", True),
        ("Answer: \u2212120 V", "-120", True),
        ("The ratio is 1/64", "1/64", True),
        ("The ratio is 11/64", "1/64", False),
        ("It is an embryonic stage.", "embryonic", True),
        ("Answer: B", "B", True),
        ("The right step is b", "B", False),
        ("It is a step back", "A", False),
        ("", "5", None),
        ("<think>5</think>", "5", None),
    ],
)
def test_open_answers(completion, target, expected):
    assert verdict(score_open(completion, [target])) is expected


def test_one_of_several_answers_suffices():
    assert verdict(score_open("Answer: roots", ["root", "roots"])) is True
    assert verdict(score_open("Answer: the leaf", ["root", "roots"])) is False


@pytest.mark.parametrize(
    ("completion", "targets", "expected"),
    [
        ("R. Okafor", ["R. Okafor"], 1.0),
        ("r.  okafor ", ["R. Okafor"], 1.0),
        ("Answer: R. Okafor", ["R. Okafor"], 1.0),
        ("R. Okaf0r", ["R. Okafor"], 1 - 1 / 9),
        ("Okafor", ["R. Okafor", "Okafor"], 1.0),
        ("ab", ["ac"], 0.5),  # exactly 0.5 counts
        ("abc", ["axy"], 0.0),
        ("The letter was signed by R. Okafor.", ["R. Okafor"], 0.0),
    ],
)
def test_anls(completion, targets, expected):
    assert score_anls(completion, targets).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("completion", "target", "years", "exact", "expected"),
    [
        ("30", "30", ["NO"], False, 1.0),
        ("31.5", "30", ["NO"], False, 1.0),  # 5 %
        ("31.6", "30", ["NO"], False, 0.0),
        ("12%", "12", ["NO"], False, 1.0),
        ("0", "0", ["NO"], False, 1.0),
        ("0.01", "0", ["NO"], False, 0.0),
        ("2011", "2010", ["NO"], False, 1.0),
        ("2011", "2010", ["YES"], False, 0.0),
        ("2010.", "2010", ["YES"], False, 1.0),
        ("Japan", "japan", ["NO"], False, 1.0),
        ("Jpaan", "Japan", ["NO"], False, 0.6),
        ("ab", "ac", ["NO"], False, 0.0),  # exactly 0.5 does not count
        ("[2010, 2020]", "[2010, 2020]", ["YES", "YES"], False, 1.0),
        ("['2010', '2021']", "[2010, 2020]", ["YES"], False, 0.5),
        ("[2010]", "[2010, 2020]", ["YES"], False, 0.5),
        ("[2010, 2020, 2021]", "[2010, 2020]", ["YES"], False, 2 / 3),
        ("[\u2019New York\u2019, \u2019Rome\u2019]", "[New York, Rome]", ["NO"], False, 1.0),
        ("TRUE", "True", ["NO"], True, 1.0),
        ("False", "True", ["NO"], True, 0.0),
        ("b", "b", ["NO"], True, 1.0),
        ("(b) Fig", "b", ["NO"], True, 1.0),
        ("a", "b", ["NO"], True, 0.0),
        ("It goes up.\nAnswer: 30", "30", ["NO"], False, 1.0),
        ("12a, 13", "[12, 13]", ["NO"], False, 0.0),
    ],
)
def test_relaxed_accuracy(completion, target, years, exact, expected):
    assert score_relaxed(completion, target, years=years, exact=exact).value == pytest.approx(expected)


@pytest.mark.parametrize("completion", ["", " \n", "<think>30</think>"])
def test_a_blank_answer_is_unanswered(completion):
    for score in (score_relaxed(completion, "30"), score_anls(completion, ["30"])):
        assert (score.value, score.reason) == (
            0.0,
            "no_response" if not completion.strip() else "invalid_response_format",
        )


def test_lists():
    assert read_list("[1,200 t, 3]") == ["1,200 t", "3"]
    assert read_list('["a, b", "c"]') == ["a, b", "c"]
    assert read_list("[]") == ["[]"]
    assert read_list("[9a, b]") == ["9a", "b"]


@pytest.mark.parametrize(
    ("completion", "kind", "target", "precision", "expected"),
    [
        ("There are 2 more.", "integer", "2", None, True),
        ("4 - 2 = 2.0", "integer", "2", None, True),
        ("It is $1,200", "integer", "1200", None, True),
        ("\\boxed{3.667}", "float", "3.67", 2, True),
        ("3.6", "float", "3.67", 2, False),
        ("The ratio is 4/5.", "float", "0.8", 1, True),
        ("They are [40, 30].", "list", "[40, 30]", None, True),
        ("They are [30, 40].", "list", "[40, 30]", None, False),
        ("They are 40 and 30.", "list", "[40, 30]", None, None),
        ("I cannot tell.", "integer", "2", None, None),
        ("", "float", "0.8", 1, None),
    ],
)
def test_mathvista_numbers(completion, kind, target, precision, expected):
    found = _found(completion, kind, {})
    score = score_mathvista(completion, found, target, answer_type=kind, precision=precision)
    assert verdict(score) is expected


def test_mathvista_options_with_the_same_text_are_the_same():
    options = {"A": "15", "B": "50", "C": "50"}
    assert verdict(score_mathvista("Answer: C", "C", "B", answer_type="text", options=options)) is True
    # The original takes the option with the closest spelling.
    assert verdict(score_mathvista("92.5", None, "B", answer_type="text", options=options)) is None


def test_an_announced_answer_stands_for_the_completion():
    assert short_answer("Reasons.\n**Answer:** 5 kg\nMore.") == "5 kg"
    assert short_answer("The answer: 5") == "The answer: 5"
    assert short_answer("Final answer: *x*") == "x"
