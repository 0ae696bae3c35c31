"""Lengths: words, sentences and paragraphs, and requested numbers of them."""

import pytest

from openbench.errors import UsageError
from openbench_scorers.length_control import Length, length_control, score_length
from openbench_scorers.text_counts import (
    count_paragraphs,
    count_sentences,
    count_words,
    score_length_ratio,
    score_text_counts,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("... - !", 0),
        ("one two  three\nfour", 4),
        ("It isn't well-known.", 3),
        ("It isn’t.", 2),  # noqa: RUF001 - the apostrophe that models write
        ("3.14 is pi", 4),
        ("हिन्दी भाषा", 2),
        ("서울은 수도", 2),
        ("東京です", 4),
        ("Naïve café", 2),
        ("e\u0301te\u0301", 1),  # combining accents
    ],
)
def test_words(text, count):
    assert count_words(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("One. Two! Three?", 3),
        ("No end", 1),
        ("One... Two", 2),
        ("Dr. Smith met J. R. Doe, e.g. at 3.30 p.m. today.", 1),
        ("It costs $3.50. That is much.", 2),
        ("1. First thing.\n2. Second thing.", 2),
        ('He said "Stop." Then he left.', 2),
        ("**Bold end.** Next.", 2),
        ("これは本です。それは?", 2),
        ("यह एक है। वह दो है।", 2),
        ("Heading\n\nA sentence.", 2),
        ("Really?! Yes.", 2),
        ("!!! ... ???", 0),
    ],
)
def test_sentences(text, count):
    assert count_sentences(text) == count


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("a\nb", 1), ("a\n\nb", 2), ("a\n \t\n\nb\n", 2), ("\n\na\r\n\r\nb", 2)]
)
def test_paragraphs(text, count):
    assert count_paragraphs(text) == count


def test_counts_and_ratio():
    assert score_text_counts("One two. Three.\n\nFour").value == {"words": 4, "sentences": 3, "paragraphs": 2}
    assert score_text_counts("<think>One two.</think>Three.").value["words"] == 1
    assert score_text_counts("").reason == "no_response"
    assert score_length_ratio("abc", "abcdef").value == 0.5
    assert score_length_ratio("abc", " ").reason == "scoring_failed"


@pytest.mark.parametrize(
    ("bound", "count", "words", "fulfilled"),
    [
        ("min", 6, 6, 1),
        ("min", 6, 5, 0),
        ("max", 6, 6, 1),
        ("max", 6, 7, 0),
        ("approx", 6, 5, 1),  # a sixth less
        ("approx", 6, 7, 1),
        ("approx", 6, 4, 0),
        ("approx", 6, 8, 0),
        ("approx", 60, 70, 1),
        ("approx", 60, 71, 0),
        ("max", 6, 0, 0),  # an empty text is not a short one
    ],
)
def test_length(bound, count, words, fulfilled):
    score = score_length("word " * words, Length("words", bound, count))
    assert score.value == {"fulfilled": fulfilled, "deviation": pytest.approx(abs(words - count) / count)}
    assert score.answer == f"{words} words"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "letters"}, "unit='letters': expected one of 'words', 'sentences', 'paragraphs'"),
        ({"bound": "about"}, "bound='about': expected one of 'min', 'max', 'approx'"),
        ({"count": 0}, "count=0: expected a number of at least 1"),
        ({"count": "5"}, "count='5'"),
        ({"tolerance": -1}, "tolerance=-1"),
        ({"tolerance": float("nan")}, "tolerance=nan"),
    ],
)
def test_options(options, message):
    with pytest.raises(UsageError, match=message):
        length_control(**options)


def test_long_texts_take_linear_time():
    for unit in ("a. ", ". ", "\n ", "a-", "'", "Dr. ", "。", ".)", "a\n\n"):
        text = unit * (300_000 // len(unit))
        assert count_words(text) + count_sentences(text) + count_paragraphs(text) >= 0
