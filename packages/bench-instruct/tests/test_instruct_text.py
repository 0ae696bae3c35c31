"""Tests that sentences and tokens are split as by the originals' models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench_instruct.text import count_words, sentences, words

# The last words are longer than any abbreviation, since its period does not end a sentence.
PLAIN = st.lists(
    st.from_regex(r"[A-Z][a-z]{2,8}( [a-z]{2,8}){0,5} [a-z]{7,9}[.!?]", fullmatch=True), min_size=1, max_size=8
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Gray met Dr. Low. They talked.", ["Mr. Gray met Dr. Low.", "They talked."]),
        ("It cost 3.50 euros. Cheap!", ["It cost 3.50 euros.", "Cheap!"]),
        ("He waited... and left.", ["He waited... and left."]),
        ("He waited... However, she left.", ["He waited...", "However, she left."]),
        ('She said "Go." Then she went.', ['She said "Go."', "Then she went."]),
        ("(It rained.) We stayed.", ["(It rained.)", "We stayed."]),
        ("What?! No.", ["What?!", "No."]),
        ("1. Milk\n2. Bread", ["1.", "Milk\n2.", "Bread"]),
        ("The J. Smith of today. He writes.", ["The J. Smith of today.", "He writes."]),
        ("We meet at point B. The road ends there.", ["We meet at point B.", "The road ends there."]),
        ("Made in the U.S. by hand.", ["Made in the U.S. by hand."]),
        ("P.S. Bring a hat.", ["P.S.", "Bring a hat."]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_sentences(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's fine, isn't it?", ["It", "'s", "fine", ",", "is", "n't", "it", "?"]),
        ("NASA sent 1,200 e-mails.", ["NASA", "sent", "1,200", "e-mails", "."]),
        ("The U.S. won. We cannot lose.", ["The", "U.S.", "won", ".", "We", "can", "not", "lose", "."]),
        ("the cats' food", ["the", "cats", "'", "food"]),
        ("Wait... (what?)", ["Wait", "...", "(", "what", "?", ")"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


@given(PLAIN)
def test_joined_sentences_are_split_again(given):
    assert sentences(" ".join(given)) == given


@given(st.text(alphabet="aB .?!\"'()\n1-", max_size=200))
def test_only_white_space_is_lost(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_long_texts_take_little_time():
    for text in ("a" * 200_000, "A. " * 50_000, "(" * 100_000, "...!" * 50_000):
        sentences(text)


def test_words_of_letters_and_digits_are_counted():
    assert count_words("One, two-three: 4!") == 4
