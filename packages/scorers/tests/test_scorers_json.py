"""JSON in the requested form, and the ways in which models deviate from it."""

import math

import pytest

from openbench.errors import UsageError
from openbench_scorers.json_format import json_format, score_json
from openbench_scorers.json_text import Schema, documents, same, whole_document

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
RIGHT = '{"name": "Ada", "age": 36}'


@pytest.mark.parametrize(
    ("completion", "valid", "just", "fits", "match"),
    [
        (RIGHT, 1, 1, 1, 1),
        ('\n{"age": 36.0, "name": "Ada"}\n', 1, 1, 1, 1),
        (f"```json\n{RIGHT}\n```", 1, 0, 1, 1),
        (f"Here you are: {RIGHT} [1]", 1, 0, 1, 1),  # the longest counts
        (f"<think>{{}}</think>{RIGHT}", 1, 1, 1, 1),
        ('{"name": "Ada"}', 1, 1, 0, 0),
        ('{"name": "Ada", "age": "36"}', 1, 1, 0, 0),
        ('{"name": "Ada", "age": true}', 1, 1, 0, 0),
        ("[1, 2]", 1, 1, 0, 0),
        ("42", 1, 1, 0, 0),
        ("{'name': 'Ada'}", 0, 0, 0, 0),
        ('{"name": "Ada", "age": NaN}', 0, 0, 0, 0),
        ('{"name": "Ada",}', 0, 0, 0, 0),
        ("No.", 0, 0, 0, 0),
        ("", 0, 0, 0, 0),
    ],
)
def test_the_four_figures(completion, valid, just, fits, match):
    score = score_json(completion, [RIGHT], Schema(SCHEMA))
    expected = {"is_valid_json": valid, "is_just_json": just, "fulfills_schema": fits, "exact_match": match}
    assert score.value == expected
    assert (score.reason is None) == bool(valid)


def test_the_first_violation_is_reported():
    assert score_json('{"name": 1, "age": 2}', [], Schema(SCHEMA)).explanation == "$.name: 1 is not of type 'string'"


def test_without_schema_and_target_two_figures_are_left_out():
    value = score_json("{}", []).value
    assert (value["is_valid_json"], value["is_just_json"]) == (1.0, 1.0)
    assert math.isnan(value["fulfills_schema"])
    assert math.isnan(value["exact_match"])


def test_what_cannot_be_scored():
    assert score_json("{}", ["{broken"]).reason == "scoring_failed"
    away = Schema({"$ref": "http://localhost:9/schema.json"})
    assert "cannot be used" in score_json("{}", [], away).explanation
    assert score_json("no", [], away).value["fulfills_schema"] == 0.0


def test_a_broken_schema_is_refused():
    with pytest.raises(UsageError, match=r"The JSON schema is not valid: 'strin' is not valid"):
        json_format(schema={"type": "strin"})


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1.0}, True),
        ([1, 2], [2, 1], False),
        (1, True, False),
        ([0], [False], False),
        (None, 0, False),
        ("1", 1, False),
        ({"a": None}, {}, False),
    ],
)
def test_equal_documents(one, other, equal):
    assert same(one, other) is equal
    assert same(other, one) is equal


def test_documents_stand_in_no_other():
    assert [found.value for found in documents('x {"a": [1]} y [2] {"b"')] == [{"a": [1]}, [2]]
    assert [found.value for found in documents("[oops {}]")] == [{}]


@pytest.mark.parametrize("unit", ["{", "[", '{"a":', "[1,", '{"a":[{},', "[NaN,", "[[1],", '"', "[" + "9" * 5000 + "]"])
def test_hostile_texts_take_linear_time(unit):
    text = unit * (300_000 // len(unit))
    assert whole_document(text) is None
    assert isinstance(documents(text), list)


def test_deep_documents():
    deep = "[" * 900 + "]" * 900
    assert score_json(deep, [deep], Schema(SCHEMA)).value["is_just_json"] in {0.0, 1.0}
