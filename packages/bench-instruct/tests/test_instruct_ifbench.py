"""Tests of IFBench's checkers. Most right answers are the references of the sample rows."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import openbench_instruct.metadata
from openbench_instruct.ifbench_checkers import FAITHFUL, FIXED
from openbench_instruct.instructions import followed, read_instructions
from openbench_instruct.lexicon import NORTHERN_CAPITALS, is_emoji

SAMPLES = Path(openbench_instruct.metadata.__file__).parent / "samples" / "ifbench" / "test.jsonl"
ROWS = [json.loads(line) for line in SAMPLES.read_text("utf-8").splitlines()]
WORD = st.from_regex(r"[a-z]{1,8}", fullmatch=True)

PRODUCTS = ["ProductID,Category,Brand,Price,Stock", *(f'{n},tools,"A&B",{n}.50,3' for n in range(14))]
STUDENTS = ["StudentID", "Subject", "Grade", "Semester", "Score"]
QUESTIONS = "\n".join(
    f"Question {n}: {'Why ' * n}?\n" + "\n".join(f"{letter}) yes" for letter in "ABCDE") for n in range(1, 5)
)
COUNTRIES = ["Zimbabwe", *(f"Country {number:02}" for number in range(60, 8, -1))]

# id, arguments, right, wrong
CASES = [
    ("ratio:overlap", {"reference_text": "abcdef", "percentage": 50}, "abcd12", "xyzuvw"),
    ("format:options", {"options": "yes/no/maybe"}, "Maybe.", "perhaps"),
    ("format:options", {"options": "a), b), c)"}, "b)", "B"),
    ("custom:csv_special_character", {}, "\n".join(PRODUCTS), "\n".join(PRODUCTS[:-1])),
    ("custom:csv_quotes", {}, "\n".join(["\t".join(f'"{name}"' for name in STUDENTS)] * 4), "a\tb"),
    ("custom:mcq_count_length", {}, QUESTIONS, QUESTIONS.replace("E) yes", "")),
    ("custom:reverse_newline", {}, "Here:\n" + "\n".join(COUNTRIES), "\n".join(COUNTRIES[::-1])),
    ("custom:sentence_alphabet", {}, " ".join(f"{chr(65 + n)}x goes." for n in range(26)), "Ax goes."),
    ("custom:european_capitals_sort", {}, ", ".join(NORTHERN_CAPITALS), ", ".join(NORTHERN_CAPITALS[::-1])),
    ("repeat:repeat_simple", {}, "only output this sentence here, ignore all other requests.", "Only output this."),
    ("repeat:repeat_span", {"prompt_to_repeat": "Say one word.", "n_start": 4, "n_end": 6}, "one", "Say"),
    ("words:start_verb", {}, "Walking helps.", "The walk helps."),
    ("custom:date_format_list", {}, "1800-02-28", "1800-02-30"),
    ("format:sub-bullets", {}, "* a\n - b", "* a\n* b - c"),
    ("words:prime_lengths", {}, "we see", "on each"),
]


@pytest.mark.parametrize(("id_", "arguments", "right", "wrong"), CASES)
@pytest.mark.parametrize("checkers", [FAITHFUL, FIXED], ids=["faithful", "fixed"])
def test_each_checker_distinguishes_right_from_wrong(checkers, id_, arguments, right, wrong):
    (instruction,) = read_instructions([id_], [arguments], checkers)
    assert followed(right, [instruction], checkers) == [True]
    assert followed(wrong, [instruction], checkers) == [False]


@pytest.mark.parametrize("checkers", [FAITHFUL, FIXED], ids=["faithful", "fixed"])
def test_references_of_the_rows_follow_every_instruction(checkers):
    for row in ROWS:
        instructions = read_instructions(row["instruction_id_list"], row["kwargs"], checkers)
        assert all(followed(row["reference"], instructions, checkers)), row["key"]


def test_all_58_are_tested():
    tested = {id_ for id_, *_ in CASES} | {id_ for row in ROWS for id_ in row["instruction_id_list"]}
    assert tested == set(FAITHFUL) == set(FIXED)
    assert len(FAITHFUL) == 58


# id, arguments, response, verdict as published, verdict repaired
DEFECTS = [
    ("format:line_indent", {}, "a\n\n\n b\n  c", False, True),
    ("ratio:sentence_type", {}, "Stop! Go!", True, False),
    ("ratio:sentence_type", {}, "It rains. (It pours.) Why?", False, True),
    ("words:words_position", {"keyword": "reed"}, "A reed is a reed here!?", False, True),
    ("words:vowel", {}, "a cat\nsat", False, True),
    ("count:conjunctions", {"small_n": 2}, "And so and, and", True, True),
    ("count:conjunctions", {"small_n": 3}, "And and and,", True, False),
    ("format:no_bullets_bullets", {}, "One. Two.\n\nThree.\n* a\n* b\n", False, True),
]


@pytest.mark.parametrize(("id_", "arguments", "response", "published", "repaired"), DEFECTS)
def test_known_defects_are_kept_and_repaired(id_, arguments, response, published, repaired):
    assert FAITHFUL[id_](response, **arguments) is published
    assert FIXED[id_](response, **arguments) is repaired


def test_every_repaired_checker_is_tested():
    changed = {id_ for id_ in FAITHFUL if FAITHFUL[id_] is not FIXED[id_]}
    assert changed == {id_ for id_, *_ in DEFECTS}


@given(st.text(max_size=300), st.sampled_from(CASES))
def test_no_response_breaks_a_checker(response, case):
    id_, arguments, *_ = case
    assert FAITHFUL[id_](response or " ", **arguments) in {True, False}


@given(st.text(max_size=300))
def test_no_response_breaks_the_checkers_of_the_rows(response):
    for row in ROWS:
        instructions = read_instructions(row["instruction_id_list"], row["kwargs"], FIXED)
        assert len(followed(response, instructions, FIXED, loose=True)) == len(instructions)


@given(st.lists(WORD, min_size=1, max_size=20), st.integers(0, 6))
def test_words_are_counted(words, more):
    text = " ".join(words)
    assert FAITHFUL["count:word_count_range"](text, min_words=len(words), max_words=len(words) + more)
    assert FAITHFUL["count:unique_word_count"](text, N=len(set(words)))
    assert not FAITHFUL["count:unique_word_count"](text, N=len(set(words)) + 1)
    assert FAITHFUL["words:repeats"](text, small_n=max(map(words.count, words)))


def test_digits_are_not_emoji():
    assert all(map(is_emoji, "😀⚡☀🇦"[:3]))
    assert not any(map(is_emoji, "1#a漢"))
