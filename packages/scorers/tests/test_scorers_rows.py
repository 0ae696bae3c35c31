"""What a row may ask for itself, and what a bad row gives: an unscored sample that says why."""

import asyncio
import math

import pytest
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from openbench_scorers.csv_format import csv_format
from openbench_scorers.json_format import json_format
from openbench_scorers.length_control import length_control
from openbench_scorers.text_counts import length_ratio


def scored(scorer, completion, metadata=None, target=""):
    state = TaskState(
        model="none/none",
        sample_id="1",
        epoch=1,
        input="An article of seven words, no more.",
        messages=[ChatMessageUser(content="Sum it up.")],
        output=ModelOutput.from_content("none/none", completion),
        metadata=metadata or {},
    )
    return asyncio.run(scorer(state, Target(target)))


def test_a_length_of_its_own():
    assert scored(length_control("words", "max", 2), "one two three").value["fulfilled"] == 0.0
    assert (
        scored(length_control("words", "max", 2), "one two three", {"length": {"count": 3}}).value["fulfilled"] == 1.0
    )
    own = {"length": {"unit": "sentences", "bound": "min", "count": 2}}
    assert scored(length_control(), "One. Two.", own).value["fulfilled"] == 1.0


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({}, "it lacks unit and bound and count"),
        ({"length": {"unit": "words", "bound": "min"}}, "it lacks count"),
        ({"length": {"unit": "letters", "bound": "min", "count": 1}}, "unit='letters': expected one of"),
        ({"length": {"unit": "words", "bound": "min", "count": "many"}}, "count='many': expected a number"),
        ({"length": {"unit": [], "bound": "min", "count": 1}}, "unit=[]: expected one of"),
        ({"length": {"words": 3, "unit": "words", "bound": "min", "count": 1}}, "unexpected keyword argument 'words'"),
        ({"length": 3}, "not a mapping"),
    ],
)
def test_a_length_that_is_none(metadata, message):
    assert_unscored(scored(length_control(), "one", metadata), message)


def test_csv_of_its_own():
    own = {"csv": {"separator": "semicolon", "columns": 2}}
    assert scored(csv_format("comma", 3), "a;b\nc;d", own).value == {"has_csv": 1.0, "separator": 1.0, "columns": 1.0}
    assert math.isnan(scored(csv_format(), "a;b\nc;d").value["separator"])
    assert_unscored(scored(csv_format(), "x", {"csv": {"separator": "dot"}}), "separator='dot': expected one character")
    assert_unscored(scored(csv_format(), "x", {"csv": {"columns": "2"}}), "columns='2': expected a number")
    assert_unscored(scored(csv_format(), "x", {"csv": "separator"}), "csv:")


def test_a_schema_of_its_own():
    strict = json_format(schema={"type": "object"})
    assert scored(strict, "[1]").value["fulfills_schema"] == 0.0
    assert scored(strict, "[1]", {"json_schema": {"type": "array"}}).value["fulfills_schema"] == 1.0
    assert_unscored(
        scored(strict, "[1]", {"json_schema": {"type": "list"}}), "json_schema: The JSON schema is not valid"
    )
    assert_unscored(scored(strict, "[1]", {"json_schema": "array"}), "json_schema")


def test_an_original_of_its_own():
    assert scored(length_ratio(), "1234567").value == pytest.approx(7 / 35)
    assert scored(length_ratio("article"), "ab", {"article": "abcd"}).value == 0.5
    assert_unscored(scored(length_ratio("article"), "ab", {"text": "abcd"}), "no text under 'article' (keys: text)")
    assert_unscored(scored(length_ratio("article"), "ab", {"article": 3}), "no text under 'article'")


def assert_unscored(score, message):
    assert (str(score.value), score.reason) == ("nan", "scoring_failed")
    assert message in score.explanation
