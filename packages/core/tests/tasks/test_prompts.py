"""Prompts of multiple-choice questions: as published, and read back as they were written."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openbench.scorers.mcq import read_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters, option_lines
from openbench.utils import text as published

HEAD = (
    "Answer the following multiple choice question. The last line of your response should be of the following "
    "format: 'Answer: $LETTER' (without quotes) where LETTER is one of"
)


def test_the_published_prompt():
    assert create_dynamic_multiple_choice_prompt("What is 1 + 1?", ["1", "2", "3"]) == (
        f"{HEAD} A, B, C:\n\nWhat is 1 + 1?\n\nA) 1\nB) 2\nC) 3"
    )


def test_the_published_names():
    assert published.create_dynamic_multiple_choice_prompt is create_dynamic_multiple_choice_prompt


def test_a_question_without_options_stands_alone():
    assert create_dynamic_multiple_choice_prompt("Why?", []) == "Why?"


def test_there_are_letters_for_26_options():
    options = [f"option {n}" for n in range(26)]
    prompt = create_dynamic_multiple_choice_prompt("Which?", options)
    assert f"one of {', '.join(string.ascii_uppercase)}:" in prompt
    assert read_options(prompt) == dict(zip(string.ascii_uppercase, options, strict=True))


@pytest.mark.parametrize("make", [lambda o: create_dynamic_multiple_choice_prompt("Which?", o), option_lines])
def test_there_are_none_for_27(make):
    with pytest.raises(ValueError, match=r"^27 options, but letters for 26 at most$"):
        make(["x"] * 27)


def test_letters():
    assert [option_letters(count) for count in (0, 1, 4)] == ["", "A", "ABCD"]


# --- what is written is read ------------------------------------------------------------------------------------------

LINE = st.text(
    st.characters(exclude_characters="\n", exclude_categories=["Cs"])
    | st.sampled_from("AB).( \t\r\u2028\u2029\x0b\x0c\x1c\x85\xa0"),
    max_size=12,
)
QUESTION = st.lists(LINE, min_size=1, max_size=4).map("\n".join)
OPTIONS = st.lists(st.lists(LINE, min_size=1, max_size=4).map("\n".join), min_size=2, max_size=26)


def looks_like_an_option(line):
    return line.lstrip(" \t").lstrip("(")[1:2] in {")", ".", ":"}


def as_read(option):
    """What the reader gives of an option: without the blank around it, and without blank lines in it."""
    first, *rest = option.split("\n")
    return "\n".join([first.lstrip(" \t"), *(line for line in rest if line.strip())])


@given(
    QUESTION, OPTIONS.filter(lambda options: not any(looks_like_an_option(x) for o in options for x in o.split("\n")))
)
def test_options_are_read_as_they_were_written(question, options):
    read = read_options(create_dynamic_multiple_choice_prompt(question, options))
    assert list(read) == list(string.ascii_uppercase[: len(options)])
    assert list(read.values()) == [as_read(option) for option in options]


@given(st.text())
def test_any_prompt_can_be_read(prompt):
    read = read_options(prompt)
    assert list(read) == list(string.ascii_uppercase[: len(read)])
    assert len(read) != 1


@pytest.mark.parametrize(
    "options",
    [
        ["one\ntwo", "three"],
        ["one\u2028two", "three\u2029", "\u2028four"],
        ["x = 1\r", "x = 2\r"],
        ["", "", ""],
        ["def f():\n    return 1", "def f():\n\treturn 2"],
        ["A", "B", "C"],
        ["B. The second", "(A) the first"],
        ["ends in a blank ", "  "],
    ],
)
def test_options_of_several_lines_and_odd_characters(options):
    read = read_options(create_dynamic_multiple_choice_prompt("Which?", options))
    assert list(read.values()) == [option.lstrip(" \t") for option in options]


@pytest.mark.parametrize("end", ["\n", "\n\n", "\n \t\n", "\r\n\r\n", "\n\xa0\n"])
def test_line_breaks_around_an_option_hide_no_option_after_it(end):
    options = [f"one{end}", f"two{end}", f"three{end}more", f"{end}four"]
    read = read_options(create_dynamic_multiple_choice_prompt("Which?", options))
    assert list(read) == ["A", "B", "C", "D"]
    assert [text.split() for text in read.values()] == [["one"], ["two"], ["three", "more"], ["four"]]


# --- prompts of others ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "options"),
    [
        ("Q\nA) x\nB) y", {"A": "x", "B": "y"}),
        ("Q\nA. x\nB. y", {"A": "x", "B": "y"}),
        ("Q\n(A) x\n(B) y", {"A": "x", "B": "y"}),
        ("Q\nA: x\nB: y", {"A": "x", "B": "y"}),
        ("Q\n  A)\tx\n  B)\ty", {"A": "x", "B": "y"}),
        ("Q\n\nA) x\n\nB) y", {"A": "x", "B": "y"}),
        ("A) x\nB) y\n\nQ2\n\nA) z\nB) w\nC) v", {"A": "z", "B": "w", "C": "v"}),
        ("A) x\nB) y\n\nNow answer.", {"A": "x", "B": "y"}),
        ("A) x\nB) y\nNow answer.", {"A": "x", "B": "y\nNow answer."}),
        ("Statement A. Dogs bark.\nB. F. Skinner said so.", {}),
        ("A. Einstein was born where?\n\nA) Ulm\nB) Bern", {"A": "Ulm", "B": "Bern"}),
        ("A) x\nC) z\nB) y", {"A": "x\nC) z", "B": "y"}),
        ("B) y\nC) z", {}),
        ("A) alone", {}),
        ("a) x\nb) y", {}),
        ("A)x\nB)y", {}),
        ("", {}),
    ],
)
def test_blocks_of_lettered_options(prompt, options):
    assert read_options(prompt) == options


@pytest.mark.parametrize("cue", ["Answer:", "\nAnswer:", "answer: "])
def test_the_cue_for_the_answer_is_no_part_of_the_last_option(cue):
    assert read_options(f"Which?\nA. red\nB. a deep\ngreen\n{cue}") == {"A": "red", "B": "a deep\ngreen"}
