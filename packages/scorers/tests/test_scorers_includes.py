"""The scorer of completions that should contain a target."""

import asyncio
import math

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Target
from inspect_ai.solver import TaskState

from openbench_scorers.includes import includes, score_includes


@pytest.mark.parametrize(
    ("completion", "targets", "options", "found"),
    [
        ("It is Paris.", ["Paris"], {}, "Paris"),
        ("it is paris.", ["Paris"], {}, "Paris"),
        ("it is paris.", ["Paris"], {"ignore_case": False}, None),
        ("London, or Paris", ["Rome", "Paris", "London"], {}, "Paris"),
        ("I know", ["no"], {}, "no"),
        ("I know", ["no"], {"whole_words": True}, None),
        ("No.", ["no"], {"whole_words": True}, "no"),
        ("C++", ["C++"], {"whole_words": True}, "C++"),
        ("STRASSE", ["Straße"], {}, "Straße"),
        ("<think>Paris?</think>London", ["Paris"], {}, None),
    ],
)
def test_includes(completion, targets, options, found):
    result = score_includes(completion, targets, **options)
    assert (result.value, result.answer) == (CORRECT if found else INCORRECT, found)


@pytest.mark.parametrize(
    ("completion", "reason"),
    [("", "no_response"), (" \n", "no_response"), ("<think>Paris", "invalid_response_format")],
)
def test_no_answer_is_wrong_with_a_reason(completion, reason):
    result = score_includes(completion, ["Paris"])
    assert (result.value, result.reason, result.explanation) == (INCORRECT, reason, completion)


@pytest.mark.parametrize("targets", [[], [""], [" ", "\n"]])
def test_a_sample_without_a_target_is_unscored(targets):
    result = score_includes("Paris", targets)
    assert math.isnan(result.value)
    assert result.explanation == "Not scored: the sample has no target. Check the dataset's mapping."


def test_adapter():
    def scored(scorer, completion):
        state = TaskState(ModelName("none/none"), "id", 1, "question", [], target=Target(["Paris"]))
        state.output = ModelOutput.from_content("none", completion)
        return asyncio.run(scorer(state, Target(["Paris"])))

    assert scored(includes(), "In Paris").value == CORRECT
    assert scored(includes(whole_words=True), "Parisian").value == INCORRECT
