"""Exact match and pattern: what counts as the target, and what is no answer at all."""

import asyncio
import math
import re

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Target
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.exact import exact, score_exact
from openbench.scorers.matching import normalise_text
from openbench.scorers.pattern import pattern, score_pattern


def scored(scorer, completion, *targets):
    state = TaskState(ModelName("none/none"), "id", 1, "question", [], target=Target(list(targets)))
    state.output = ModelOutput.from_content("none", completion)
    return asyncio.run(scorer(state, Target(list(targets))))


@pytest.mark.parametrize(
    ("completion", "targets", "plainly", "normalised"),
    [
        ("Paris", ["Paris"], True, True),
        (" Paris\n", ["Paris"], True, True),
        ("Paris", ["London", "Paris"], True, True),
        ("<think>London?</think>Paris", ["Paris"], True, True),
        ("paris", ["Paris"], False, True),
        ("The  Eiffel Tower!", ["Eiffel tower"], False, True),
        ("an apple, a day", ["apple day"], False, True),
        ("It is Paris", ["Paris"], False, False),
        ("Pari", ["Paris"], False, False),
        # what is nothing but punctuation or an article counts as it stands
        ("A", ["A"], True, True),
        ("?", ["?"], True, True),
        ("?", ["!"], False, False),
        ("the", ["a"], False, False),
        ("東京", ["東京"], True, True),
    ],
)
def test_exact(completion, targets, plainly, normalised):
    assert (score_exact(completion, targets).value == CORRECT) == plainly
    assert (score_exact(completion, targets, normalise=True).value == CORRECT) == normalised


@pytest.mark.parametrize(
    ("completion", "reason"),
    [("", "no_response"), (" \n", "no_response"), ("<think>Paris", "invalid_response_format")],
)
def test_no_answer_is_wrong_and_says_so(completion, reason):
    told = score_exact(completion, ["Paris"])
    assert (told.value, told.reason, told.explanation) == (INCORRECT, reason, completion)


@pytest.mark.parametrize("targets", [[], [""], [" ", "\n"]])
@pytest.mark.parametrize("score", [score_exact, lambda text, targets: score_pattern(text, targets, re.compile("."))])
def test_a_sample_without_a_target_is_unscored(score, targets):
    told = score("Paris", targets)
    assert math.isnan(told.value)
    assert told.reason == "scoring_failed"
    assert told.explanation == "Not scored: the sample has no target. Check the dataset's mapping."


def test_normal_form_of_text():
    assert normalise_text("The U.S.A.,  an  A-team\n") == "usa ateam"


@pytest.mark.parametrize(
    ("regex", "which", "completion", "answer"),
    [
        (r"Answer: (\w+)", "last", "Answer: a. Answer: b", "b"),
        (r"Answer: (\w+)", "first", "Answer: a. Answer: b", "a"),
        (r"\d+", "last", "10 or 20", "20"),
        (r"(?:is|=) *(?:(\d+)|(\w+))", "last", "x is big", "big"),
        (r"(\w+) then (?P<answer>\w+)", "last", "one then two", "two"),
        (r"^Answer:(.*)$", "last", "Answer: 5\nthanks", "5"),
        (r"Answer:(.*)", "last", "Answer: 5\nAnswer: ", "5"),  # what is blank is not found
        (r"Answer: (\w+)", "last", "no idea", None),
        (r"(\w*)", "last", "", None),
        (r"\d+", "last", "<think>7</think>8<think>9", "8"),
    ],
)
def test_pattern(regex, which, completion, answer):
    told = scored(pattern(regex, which), completion, "the target")
    assert (told.value, told.answer) == (INCORRECT, answer)
    assert (told.reason is None) == (answer is not None)
    assert answer is None or scored(pattern(regex, which), completion, answer.upper()).value == CORRECT


def test_letter_case_of_patterns():
    assert scored(pattern("answer: (.*)", ignore_case=False), "Answer: x", "x").answer is None
    assert scored(pattern("Answer: (.*)", ignore_case=False), "Answer: x", "X").value == INCORRECT


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: pattern("(a"),
            (
                "pattern '(a' is not a regular expression of Python's re: missing ), unterminated subpattern at "
                "position 0."
            ),
        ),
        (lambda: pattern("a", "middle"), "pattern: which='middle': expected one of first, last."),
    ],
)
def test_wrong_arguments_are_refused_before_the_run(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == message


def test_adapters():
    assert scored(exact(), "Paris", "London", "Paris").value == CORRECT
    assert scored(exact(normalise=True), "paris!", "Paris").value == CORRECT
