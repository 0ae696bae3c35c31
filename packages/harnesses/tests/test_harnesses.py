"""Tests of task names without an installed harness, of stop sequences, and of descriptions."""

import pytest

from openbench.errors import UsageError
from openbench_harnesses import inspect_evals, lm_eval
from openbench_harnesses.lm_eval_requests import until_stop
from openbench_harnesses.names import one_line, unknown_task


@pytest.mark.parametrize(
    ("describe", "prefix"), [(inspect_evals.benchmark, "inspect-evals"), (lm_eval.benchmark, "lm-eval")]
)
def test_a_harness_that_is_not_installed_here(describe, prefix):
    with pytest.raises(UsageError) as raised:
        describe("gsm8k")
    assert str(raised.value) == (
        f"{prefix}:gsm8k: {prefix} is not installed. 'bench eval {prefix}:gsm8k' runs it in a separate "
        f"environment; to install it here: pip install 'openbench-harnesses[{prefix}]'."
    )


def test_an_unknown_task_suggests_similar_names():
    error = unknown_task("lm-eval", "arc_esy", ["arc_easy", "boolq"])
    assert str(error) == ("lm-eval:arc_esy: lm-eval has no such task (it has 2). Did you mean lm-eval:arc_easy?")
    assert str(unknown_task("lm-eval", "zzz", [])) == "lm-eval:zzz: lm-eval has no such task (it has 0)."


@pytest.mark.parametrize(
    ("text", "until", "expected"),
    [
        ("4\n\nQuestion: more", ["Question:", "\n\n"], "4"),
        ("4", ["Question:"], "4"),
        ("", ["x"], ""),
        ("a", [""], "a"),
        ("a</s>b<|im_end|>", ["<|im_end|>", "</s>", "x", "y", "z"], "a"),
    ],
)
def test_a_text_ends_before_the_first_stop_sequence(text, until, expected):
    assert until_stop(text, until) == expected


def test_a_description_in_one_line():
    assert one_line(" Two\n  lines. ") == "Two lines."
    assert one_line("a" * 600) == "a" * 500 + "…"
