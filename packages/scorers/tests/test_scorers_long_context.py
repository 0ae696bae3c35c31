"""Needles, common words and repetition."""

import time

import pytest

from openbench.errors import UsageError
from openbench_scorers.cwe import score_cwe
from openbench_scorers.niah import NONE_WORDS, niah, score_niah
from openbench_scorers.percentage import score_exponential_similarity
from openbench_scorers.repetition import repetition, score_repetition


@pytest.mark.parametrize(
    ("completion", "targets", "value", "recall"),
    [
        ("1. apple 2. pear", ["pear", "apple"], "C", 1.0),
        ("Apple, PEAR.", ["apple", "pear"], "C", 1.0),
        ("apple", ["apple", "pear"], "I", 0.5),
        ("pineapple pears", ["apple", "pear"], "I", 0.0),  # whole words
        ("New York and Rome", ["new york"], "C", 1.0),
        ("Füße und Straße", ["STRASSE"], "C", 1.0),
        ("किताबें", ["किताब"], "I", 0.0),  # a vowel sign makes it another word
        ("किताब, कलम", ["किताब"], "C", 1.0),
        ("苹果和梨", ["苹果", "梨"], "C", 1.0),
        ("", ["apple"], "I", 0.0),
    ],
)
def test_cwe(completion, targets, value, recall):
    score = score_cwe(completion, targets)
    assert (score.value, score.metadata) == (value, {"recall": recall})
    assert score_cwe(completion, [*targets, " "]).value == value


def test_cwe_without_target():
    assert score_cwe("x", [""]).reason == "scoring_failed"


@pytest.mark.parametrize(
    ("completion", "targets", "value"),
    [
        ("The number is 8231907.", ["8231907"], "C"),
        ("8,231,907", ["8231907"], "C"),
        ("8 231 907", ["8231907"], "C"),
        ("1. 8231907\n2. 4410293", ["4410293", "8231907"], "C"),
        ("8231907, 8231907", ["8231907"], "C"),
        ("123,456", ["123", "456"], "C"),  # two numbers, as the target has it
        ("8231907 and 99", ["8231907"], "I"),  # one too many
        ("8231907", ["8231907", "4410293"], "I"),
        ("٨٢٣١٩٠٧", ["8231907"], "C"),
        ("none", ["8231907"], "I"),
        ("", ["8231907"], "I"),
        ("There are none.", ["none"], "C"),
        ("None of them, but 8231907 is close.", ["none"], "I"),
        ("nonesuch", ["none"], "I"),
        ("Hm.", ["none"], "I"),
        ("<think>8231907?</think>None.", ["none"], "C"),
    ],
)
def test_niah(completion, targets, value):
    assert score_niah(completion, targets).value == value


def test_niah_in_other_languages():
    for code, words in NONE_WORDS.items():
        for word in words:
            assert score_niah(f"<think>12</think> {word}.", [word], code).value == "C", (code, word)
            assert score_niah(f"{word} 1234567", [word], code).value == "I", (code, word)
    assert score_niah("답은 없음입니다", ["없음"], "ko").value == "C"
    with pytest.raises(UsageError, match="language='xx': expected one of"):
        niah("xx")


# The languages of OneRuler, arXiv 2503.01996, with what its questions without an answer have as their target.
@pytest.mark.parametrize(
    ("code", "target"),
    [("st", "ha ho letho"), ("de", "Keine vorhanden"), ("ja", "数字はありません"), ("ta", "ஏதுமில்லை"), ("uk", "Нема")],
)
def test_niah_knows_the_targets_of_questions_without_an_answer(code, target):
    assert score_niah(target, [target], code).value == "C"
    assert score_niah("1234567", [target], code).value == "I"
    # The answer must be in the language of the question, whatever the language of the target.
    assert score_niah(NONE_WORDS["fi"][0], [target], "fi").value == "C"
    assert score_niah(target, [target], "fi").value == "I"


def test_niah_reasons():
    assert score_niah("Hm.", ["8231907"]).reason == "invalid_response_format"
    assert score_niah("12", ["8231907"]).reason is None
    assert score_niah("12", []).reason == "scoring_failed"
    odd = score_niah("none", ["7"])
    assert odd.reason == "scoring_failed"
    assert odd.explanation == (
        "Not scored: the target ['7'] has no number of two digits or more, and is not a word for none in any "
        "language; in 'en', these are: none, no number, no numbers, no magic number."
    )
    assert score_niah("keine", ["keine"], "en").value == "I"
    assert score_niah("none", [" None."]).value == "C"


@pytest.mark.parametrize(
    ("text", "window", "repetitions", "value"),
    [
        ("hello world hello world", 2, 1, 1.0),
        ("hello world hello there", 2, 1, 0.0),
        ("hello, world! Hello world hello world", 2, 1, 1.0),
        ("a b a b", 2, 2, 0.0),
        ("a b a b a b", 2, 2, 1.0),
        ("ha ha ha", 2, 1, 1.0),  # overlapping itself
        ("one two", 3, 1, 0.0),
        ("", 1, 1, 0.0),
    ],
)
def test_repetition(text, window, repetitions, value):
    assert score_repetition(text, window, repetitions).value == value


def test_the_answer_is_the_repeated_sequence():
    assert score_repetition("x y z, x y again", 2).answer == "x y"
    for options in ({"window": 0}, {"repetitions": 0}, {"window": "2"}):
        with pytest.raises(UsageError):
            repetition(**options)


def test_repetition_takes_linear_time():
    varied = " ".join(str(number) for number in range(100_000))
    started = time.monotonic()
    assert score_repetition(varied).value == 0.0
    assert score_repetition("go " * 100_000, 128, 99_999).value == 0.0
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("completion", "targets", "value"),
    [("50", ["50"], 1.0), ("60%", ["50"], 0.5), ("30", ["50"], 0.25), ("40", ["0", "30"], 0.5), ("half", ["50"], 0.0)],
)
def test_exponential_similarity(completion, targets, value):
    assert score_exponential_similarity(completion, targets).value == pytest.approx(value)


def test_exponential_similarity_reasons():
    assert score_exponential_similarity("half", ["50"]).reason == "invalid_response_format"
    assert score_exponential_similarity("50", ["half"]).reason == "scoring_failed"
    assert score_exponential_similarity("50", [""]).reason == "scoring_failed"
