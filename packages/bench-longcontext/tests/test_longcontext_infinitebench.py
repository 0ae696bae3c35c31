"""InfiniteBench: scoring rules, prompts, and contexts that are too long."""

from pathlib import Path

import pytest

import openbench_longcontext
from openbench.datasets import bundled_rows
from openbench.errors import UsageError
from openbench_longcontext.infinitebench import OURS, infinitebench, record_to_sample
from openbench_longcontext.infinitebench_scores import RULES
from openbench_longcontext.tokens import TokenCounter, token_counter

SAMPLES = Path(openbench_longcontext.__file__).parent / "samples"

SCORES = [
    ("passkey", "The key is 481, not 7.", ["481"], 1.0),
    ("passkey", "7 and 481", ["481"], 0.0),
    ("number_string", "none", ["481"], 0.0),
    ("kv_retrieval", 'It is "ab-1".', ["ab-1"], 1.0),
    ("kv_retrieval", "It is ab-12.", ["ab-1"], 0.0),
    ("code_run", "It returns `12`.", ["12"], 1.0),
    ("code_run", "-3", ["-3"], 1.0),
    ("code_run", "12 apples", ["12"], 0.0),
    ("code_run", "", ["12"], 0.0),
    ("code_debug", "B. widest", ["widest", "B"], 1.0),
    ("code_debug", "I see.\nThe answer is: B", ["widest", "B"], 1.0),
    ("code_debug", "The correct option is: widest", ["widest", "B"], 1.0),
    ("code_debug", "It must be B", ["widest", "B"], 0.0),
    ("code_debug", "The answer is:", ["widest", "B"], 0.0),
    ("math_find", "The number 4.50", ["4.5"], 1.0),
    ("math_find", "4.5", ["4"], 0.0),
    ("math_calc", "[1, 4, 8]", ["1", "4", "9"], 2 / 3),
    ("math_calc", "", ["1"], 0.0),
    ("longdialogue_qa_eng", "Maren.", ["MAREN"], 1.0),
    ("longdialogue_qa_eng", "Iver", ["MAREN"], 0.0),
    ("longbook_qa_eng", "A schooner, the Halcyon!", ["the Halcyon"], 2 / 3),
    ("longbook_qa_eng", "boats", ["ships", "Boats."], 1.0),
    ("longbook_qa_chn", "红色。", ["红色"], 1.0),
    ("longbook_qa_chn", "红", ["红色"], 2 / 3),
    ("longbook_choice_eng", "C", ["Boats", "C"], 1.0),
    ("longbook_choice_eng", "Boats", ["Boats", "C"], 0.0),
    ("longbook_choice_eng", "My answer is: C", ["Boats", "C"], 1.0),
    ("longbook_choice_eng", "surely C or D", ["Boats", "C"], 1.0),
    ("longbook_choice_eng", "", ["Boats", "C"], 0.0),
    ("longbook_sum_eng", "One two.\nThree four.", ["Three four.\nOne two."], 1.0),
    ("longbook_sum_eng", "five", ["One two."], 0.0),
]


@pytest.mark.parametrize(("task", "text", "answers", "value"), SCORES)
def test_scoring_rules(task, text, answers, value):
    assert RULES[task](text, answers) == pytest.approx(value)


def build(**arguments):
    with bundled_rows(SAMPLES / "infinitebench"):
        return infinitebench(**arguments)


def test_every_task_has_a_rule_a_prompt_and_a_sample():
    task = build()
    assert {sample.metadata["task"] for sample in task.dataset} == {*RULES} == {*OURS}
    by_task = {sample.metadata["task"]: sample for sample in task.dataset}
    assert by_task["code_run"].target == ["13"]
    assert "What does func_2(17) return?" in by_task["code_run"].input
    assert by_task["code_debug"].target == ["widest", "B"]
    assert by_task["math_find"].input.startswith("What is the largest number in the following list?")
    assert "C. Boats" in by_task["longbook_choice_eng"].input
    assert [sample.metadata["task"] for sample in build(tasks="passkey").dataset] == ["passkey"]
    with pytest.raises(UsageError, match=r"infinitebench: tasks: 'passkeys' does not exist\. Close: passkey"):
        build(tasks="passkeys")
    with pytest.raises(UsageError, match=r"infinitebench: prompt='offical': expected one of 'ours', 'official'\."):
        build(prompt="offical")
    with pytest.raises(UsageError, match=r"infinitebench: too_long='trim': expected one of 'leave_out', 'cut'\."):
        build(too_long="trim")


def test_long_prompts_are_left_out_or_cut_and_counted():
    whole = build(tasks="longbook_qa_eng").dataset[0]
    tokens = whole.metadata["prompt_tokens"]
    left_out = build(max_context_size=tokens - 1)
    assert 0 < left_out.metadata["left_out"] == 12 - len(left_out.dataset)
    cut = build(max_context_size=tokens - 20, too_long="cut", tasks="longbook_qa_eng")
    assert cut.metadata["left_out"] == 0
    [sample] = cut.dataset
    assert tokens - 30 < token_counter().count(sample.input) <= tokens - 20
    assert sample.metadata["context"] == "cut context"
    assert whole.metadata["context"] == "whole context"
    assert sample.input[:40] == whole.input[:40]
    assert sample.input[-60:] == whole.input[-60:]


def test_a_context_can_be_cut_entirely():
    row = {"task": "passkey", "id": 1, "context": "a " * 50, "input": "What?", "answer": ["1"]}
    words = TokenCounter("words", lambda text: len(text.split()))
    assert record_to_sample(row, {"passkey": "{context} {input}"}, words, 1).input == " What?"


WRONG = [
    ({"task": "code_run", "input": "func(1)", "answer": [1]}, r"input: no call such as func_1\(2\)"),
    ({"task": "math_find", "input": "Largest?", "answer": [1]}, r"input: no 'The … of'"),
    ({"task": "code_debug", "input": "", "answer": ["f"], "options": ["g"]}, r"answer: 'f' is not one of the options"),
]


@pytest.mark.parametrize(("row", "message"), WRONG)
def test_invalid_rows(row, message):
    with pytest.raises(ValueError, match=message):
        record_to_sample({"id": 1, "context": "", "options": ["", "", "", ""], **row}, dict.fromkeys(OURS, "{context}"))
