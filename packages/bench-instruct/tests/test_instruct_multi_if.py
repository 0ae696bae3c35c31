"""Tests of Multi-IF: the turns of a row, the conversation, and its metrics."""

import asyncio
import json

import pytest
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import SampleScore, Target
from inspect_ai.solver import TaskState

from openbench_instruct.multi_if import (
    by_language,
    by_turn,
    record_to_sample,
    turn_accuracy,
    turn_by_turn,
    turns_followed,
)
from openbench_instruct.multi_if_checkers import FAITHFUL, FIXED

NO_COMMA = "punctuation:no_comma"
TITLE = "detectable_format:title"


def row(*turns, language="English"):
    """Return a row in the published format; the columns of missing turns are empty."""
    columns = {"key": "1:1:en", "language": language, "turn_index": "1"}
    for number in (1, 2, 3):
        present = number <= len(turns)
        message = json.dumps({"role": "user", "content": f"Turn {number}."})
        columns[f"turn_{number}_prompt"] = message if present else "None"
        columns[f"turn_{number}_instruction_id_list"] = json.dumps(turns[number - 1]) if present else ""
        columns[f"turn_{number}_kwargs"] = json.dumps(["{}"] * len(turns[number - 1])) if present else ""
    return columns


def state_of(sample):
    return TaskState(ModelName("mock/model"), "id", 1, sample.input, [ChatMessageUser(content=sample.input)],
                     metadata=sample.metadata)  # fmt: skip


def converse(sample, answers):
    """Return the state after a conversation with a model that gives these answers, and its prompts."""
    prompts, waiting = [], iter(answers)

    async def generate(state):
        prompts.append([message.text for message in state.messages])
        state.output = ModelOutput.from_content("mock/model", next(waiting))
        state.messages.append(state.output.message)
        return state

    return asyncio.run(turn_by_turn()(state_of(sample), generate)), prompts


def scored(sample, answers):
    state, _ = converse(sample, answers)
    score = asyncio.run(turns_followed()(state, Target("")))
    return SampleScore(score=score, sample_metadata=sample.metadata)


def test_a_row_has_as_many_turns_as_prompts():
    sample = record_to_sample(row([NO_COMMA], [NO_COMMA, TITLE]))
    assert sample.input == "Turn 1."
    assert [turn["prompt"] for turn in sample.metadata["turns"]] == ["Turn 1.", "Turn 2."]
    assert [len(turn["instructions"]) for turn in sample.metadata["turns"]] == [1, 2]
    assert record_to_sample(row([NO_COMMA]) | {"turn_2_prompt": None}).metadata["turns"][0]["number"] == 1


def test_each_turn_is_asked_after_the_replies_before_it():
    _, prompts = converse(record_to_sample(row([NO_COMMA], [NO_COMMA], [NO_COMMA])), "abc")
    assert prompts == [
        ["Turn 1."],
        ["Turn 1.", "a", "Turn 2."],
        ["Turn 1.", "a", "Turn 2.", "b", "Turn 3."],
    ]


def test_a_reply_is_scored_by_the_instructions_of_its_own_turn():
    sample = record_to_sample(row([NO_COMMA], [NO_COMMA, TITLE], [NO_COMMA, TITLE]))
    score = scored(sample, ["no comma", "a, <<b>>", "plain"]).score
    assert score.metadata["turns"]["2"]["strict"] == [False, True]
    # Turn 1: 1. Turns 2 and 3: prompt level 0, instruction level 1 of 2.
    assert score.value == pytest.approx((1 + 0.25 + 0.25) / 3)
    assert score.explanation == (
        "1. All instructions are followed.\n2. Not followed: punctuation:no_comma.\n"
        "3. Not followed: detectable_format:title."
    )


def test_loose_scoring_applies_to_each_reply():
    sample = record_to_sample(row([NO_COMMA]))
    score = scored(sample, ["Sure, here it is:\nno comma"]).score
    assert (score.metadata["turns"]["1"], score.value) == ({"strict": [False], "loose": [True]}, 0.5)


def test_turns_without_a_reply_are_not_followed():
    sample = record_to_sample(row([NO_COMMA], [NO_COMMA]))
    state, _ = converse(sample, ["fine", "fine"])
    state.metadata = {**state.metadata, "replies": ["fine"]}
    score = asyncio.run(turns_followed()(state, Target("")))
    assert (score.value, score.reason) == (0.5, None)
    state.metadata = {**state.metadata, "replies": ["", ""]}
    assert asyncio.run(turns_followed()(state, Target(""))).reason is not None


def test_a_solver_that_answers_once_answers_all_turns():
    sample = record_to_sample(row([NO_COMMA], [NO_COMMA, TITLE]))
    state = state_of(sample)
    state.output = ModelOutput.from_content("mock/model", "<<yes>>")
    assert asyncio.run(turns_followed()(state, Target(""))).value == 1.0


def test_metrics_are_computed_over_all_rows():
    short = record_to_sample(row([NO_COMMA]))
    long = record_to_sample(row([NO_COMMA, TITLE, TITLE], [TITLE], language="French"))
    scores = [scored(short, ["fine"]), scored(long, ["a, b", "<<c>>"])]
    # Turn 1: prompt level 1 of 2, instruction level 1 of 4, both strict and loose; turn 2: all.
    assert by_turn()(scores) == {"turn_1": pytest.approx(0.375), "turn_2": 1.0}
    assert turn_accuracy()(scores) == pytest.approx((0.375 + 1) / 2)
    assert by_language()(scores) == {
        "English": 1.0,
        "English_turn_1": 1.0,
        "French": 0.5,
        "French_turn_1": 0.0,
        "French_turn_2": 1.0,
    }


SENTENCES = "length_constraints:number_sentences"
WORDS = "length_constraints:number_words"


@pytest.mark.parametrize(
    ("id_", "text", "count"),
    [
        (SENTENCES, "सुबह ठंडी थी। हम नदी गए। पक्षी गा रहे थे।", 3),
        (SENTENCES, "今天早上我们去公园散步。花已经开了!孩子们在玩\n大家都很高兴", 4),
        (SENTENCES, "Le jardin est calme. Nous buvons du café. La journée commence.", 3),
        (WORDS, "今天我们去公园,很好。OK 吧 😀", 12),
        (WORDS, "Мы гуляли в парке весь день", 6),
    ],
)
@pytest.mark.parametrize("checkers", [FAITHFUL, FIXED])
def test_counts_follow_the_language(checkers, id_, text, count):
    name = "num_sentences" if id_ == SENTENCES else "num_words"
    assert checkers[id_](text, **{name: count, "relation": "at least"})
    assert not checkers[id_](text, **{name: count + 1, "relation": "at least"})


def test_fixed_checkers_count_vowel_signs_as_parts_of_words():
    for checkers, count in ((FAITHFUL, 4), (FIXED, 3)):
        assert checkers[WORDS]("सुबह की हवा", num_words=count, relation="at least")
        assert not checkers[WORDS]("सुबह की हवा", num_words=count + 1, relation="at least")


@pytest.mark.parametrize(
    ("text", "follows"), [('"a"', True), ("“好”", True), ("「は」", True), ('“a"', False), ('"', False)]
)
def test_quotation_marks_are_those_of_the_language(text, follows):
    assert FAITHFUL["startend:quotation"](text) is follows
