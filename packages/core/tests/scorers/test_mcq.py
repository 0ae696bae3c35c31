"""The multiple-choice scorer: right, wrong and unanswered are three things, and groups are figures of their own."""

import pytest
from inspect_ai.scorer import CORRECT, INCORRECT

from openbench.scorers.mcq import create_mcq_scorer, score_mcq
from openbench.scorers.reasons import GRADER_FAILED, is_answered, unanswered

OPTIONS = {"A": "red", "B": "green", "C": "blue"}


@pytest.mark.parametrize(
    ("completion", "value", "answer", "reason"),
    [
        ("Answer: B", CORRECT, "B", None),
        ("The answer is (B).", CORRECT, "B", None),
        ("green", CORRECT, "B", None),  # an option's text
        ("Answer: C", INCORRECT, "C", None),
        ("Answer: E", INCORRECT, None, "invalid_response_format"),  # there is no E
        ("I do not know.", INCORRECT, None, "invalid_response_format"),
        ("", INCORRECT, None, "no_response"),
        (" \n", INCORRECT, None, "no_response"),
    ],
)
def test_scores(completion, value, answer, reason):
    score = score_mcq(completion, "B", OPTIONS)
    assert (score.value, score.answer, score.reason, score.explanation) == (value, answer, reason, completion)
    assert is_answered(score) == (answer is not None)


def test_without_options_every_letter_counts():
    assert score_mcq("Answer: Q", "Q", {}).value == CORRECT


def test_a_target_of_another_dress():
    assert score_mcq("Answer: B", " b\n", OPTIONS).value == CORRECT


def test_a_failed_grader_is_no_missing_answer():
    score = score_mcq("Answer: B", "B", OPTIONS)
    score.reason = GRADER_FAILED
    assert is_answered(score)
    assert (unanswered("x"), unanswered("\t")) == ("invalid_response_format", "no_response")


def test_the_published_arguments():
    assert callable(create_mcq_scorer()())
    assert callable(create_mcq_scorer(group_keys=["topic"], additional_metrics=[])())


PAIR = '''
"""Two scorers of one registered name, with metrics of their own, in one process."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import multiple_choice
from openbench.scorers.mcq import create_mcq_scorer
from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Choices", "Choices.", "knowledge", [], __name__, "choices")


@task
def choices(grouped: bool = False) -> Task:
    samples = [
        Sample("Which colour?", choices=["red", "green"], target="AB"[n % 2], metadata={"n": n, "half": n // 2})
        for n in range(4)
    ]
    keys = ["half"] if grouped else None
    return Task(samples, solver=multiple_choice(), scorer=create_mcq_scorer(group_keys=keys)())
'''


def test_choices_are_options_and_metrics_do_not_mix(bench, quiz):
    """One run: inspect's own multiple_choice solver, ungrouped, beside a grouped benchmark."""
    (quiz / "choices.py").write_text(PAIR, "utf-8")
    constant = ["--model", "baseline/constant", "-M", "answer=ANSWER: A"]
    done = bench("eval", "choices.py", "quiz.py", "-T", "grouped=true", *constant, "--json", cwd=quiz)
    assert done.code == 0, done.err
    choices, grouped = (result["metrics"]["mcq_scorer"] for result in done.json())
    assert set(choices) == {"accuracy", "stderr", "std", "0", "1", "0_stderr", "1_stderr"}
    assert set(grouped) == {"accuracy", "stderr", "std", "even", "odd", "even_stderr", "odd_stderr"}
    assert (grouped["accuracy"], grouped["even"], grouped["odd"]) == (pytest.approx(1 / 3),) * 3
    done = bench("eval", "choices.py", "quiz.py", *constant, "--json", cwd=quiz)
    assert [set(result["metrics"]["mcq_scorer"]) for result in done.json()] == [{"accuracy", "stderr", "std"}] * 2
