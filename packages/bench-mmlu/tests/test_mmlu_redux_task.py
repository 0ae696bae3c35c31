from collections import Counter

import pytest

from openbench.errors import DataError, UsageError
from openbench_mmlu.mmlu_redux import mmlu_redux

PROMPT = """\
Answer the following multiple choice question. The last line of your response should be of the following \
format: 'Answer: $LETTER' (without quotes) where LETTER is one of A, B, C, D:

Which base of DNA pairs with guanine?

A) Adenine
B) Cytosine
C) Thymine
D) Uracil"""


def test_prompt(sample_task):
    sample = sample_task(mmlu_redux, subjects="college_biology").dataset[1]
    assert sample.input == PROMPT
    assert sample.target == "B"
    assert sample.metadata == {"category": "stem", "subject": "college_biology", "error_type": "ok"}


def test_only_questions_without_an_error_are_kept(sample_task):
    assert {sample.metadata["error_type"] for sample in sample_task(mmlu_redux).dataset} == {"ok"}


def test_every_question_can_be_kept_with_the_original_key(sample_task):
    samples = list(sample_task(mmlu_redux, keep="all").dataset)
    assert Counter(sample.metadata["error_type"] for sample in samples) == {
        "ok": 8,
        "wrong_groundtruth": 1,
        "bad_question_clarity": 1,
    }
    (wrong,) = [sample for sample in samples if sample.metadata["error_type"] == "wrong_groundtruth"]
    assert wrong.target == "B"


def test_subjects_are_chosen_by_name_and_category(sample_task):
    chosen = sample_task(mmlu_redux, subjects=["humanities", "anatomy"]).dataset
    assert {sample.metadata["subject"] for sample in chosen} == {"world_religions", "anatomy"}


@pytest.mark.parametrize("keep", ["ok", "all"])
def test_reference_answers_are_all_right(sample_task, reference_metrics, keep):
    metrics = reference_metrics(sample_task(mmlu_redux, keep=keep))
    groups = ["stem", "humanities", "social_sciences", "other"]
    groups += ["anatomy", "college_biology", "high_school_macroeconomics", "world_religions"]
    assert metrics == {
        "accuracy": 1,
        "stderr": 0,
        "std": 0,
        **dict.fromkeys(groups, 1),
        **dict.fromkeys([f"{group}_stderr" for group in groups], 0),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"keep": "good"},
            "mmlu_redux: keep='good' is invalid. Use 'ok' (questions without errors) or 'all'.",
        ),
        (
            {"subjects": "virolog"},
            "mmlu_redux: subjects: 'virolog' does not exist. Close: virology, sociology.",
        ),
        (
            {"subjects": []},
            (
                "mmlu_redux: subjects is empty. Leave it out to run all, or name one of: "
                "stem, humanities, social_sciences, other."
            ),
        ),
    ],
)
def test_wrong_arguments_are_refused_before_any_row_is_read(arguments, message):
    with pytest.raises(UsageError) as error:
        mmlu_redux(**arguments)
    assert str(error.value) == message


def test_a_selection_without_a_good_question_is_an_error(task_of_rows, tmp_path):
    row = {
        "question": "Which?",
        "choices": ["x", "y"],
        "answer": 0,
        "error_type": "expert",
        "subject": "anatomy",
    }
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu_redux, {"test": [row]})
    assert str(error.value) == f"{tmp_path / 'test.jsonl'} has no row whose 'error_type' is ok"


def test_a_row_that_does_not_fit_is_named_among_the_selected(task_of_rows, tmp_path):
    row = {"question": "Which?", "choices": ["x", "y"], "answer": 2, "error_type": "ok", "subject": "anatomy"}
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu_redux, {"test": [row | {"subject": "virology"}, row]}, subjects="anatomy")
    assert str(error.value) == (
        f"row 1 of the selected rows of {tmp_path / 'test.jsonl'}: "
        "the target 2 is outside the 2 options; the split may have no labels"
    )
