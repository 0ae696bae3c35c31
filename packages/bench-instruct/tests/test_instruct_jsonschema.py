"""Tests of documents and schemas, including schemas that are invalid or whose check never ends."""

import asyncio
import json
import math

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench_instruct.jsonschemabench import jsonschemabench, record_to_sample, schema_fit

SCHEMA = {"type": "object", "required": ["a"]}


def scored(completion, schema=SCHEMA, seconds=10.0):
    sample = record_to_sample({"json_schema": json.dumps(schema), "unique_id": "o1"})
    state = TaskState(ModelName("none/none"), "o1", 1, sample.input, [], metadata=sample.metadata)
    state.output = ModelOutput.from_content("none", completion)
    return asyncio.run(schema_fit(seconds)(state, Target("")))


@pytest.mark.parametrize(
    ("completion", "values"),
    [
        ('{"a": 1}', [1.0, 1.0, 1.0]),
        ('Here:\n```json\n{"a": 1}\n```', [1.0, 1.0, 0.0]),
        ('{"b": 1}', [0.0, 1.0, 1.0]),
        ('{"a": ', [0.0, 0.0, 0.0]),
    ],
)
def test_documents_are_checked(completion, values):
    assert list(scored(completion).value.values()) == values


def test_an_unusable_or_slow_schema_is_unscored():
    bad = scored("{}", {"type": "nothing"})
    assert math.isnan(bad.value)
    assert "The JSON schema is not valid" in bad.explanation
    slow = scored(json.dumps("a" * 40 + "!"), {"type": "string", "pattern": "^(a+)+$"}, seconds=1.0)
    assert slow.explanation == "Not scored: the schema was not checked within 1 seconds."
    assert scored('{"a": 1}').value["fulfills_schema"] == 1.0


def test_an_unknown_subset_is_refused():
    with pytest.raises(UsageError) as error:
        jsonschemabench(subset="Easy")
    assert str(error.value).startswith("subset='Easy': expected one of Github_trivial, Github_easy")
