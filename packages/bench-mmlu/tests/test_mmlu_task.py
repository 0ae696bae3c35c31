import pytest

from openbench.errors import DataError, UsageError
from openbench.scorers.mcq import read_options
from openbench_mmlu.mmlu import mmlu
from openbench_mmlu.mmlu_redux import mmlu_redux

ZERO_SHOT = """\
Answer the following multiple choice question. The last line of your response should be of the following \
format: 'Answer: $LETTER' (without quotes) where LETTER is one of A, B, C, D:

Which planet of the solar system has the shortest year?

A) Venus
B) Mars
C) Mercury
D) Neptune"""

TWO_EXAMPLES = """\
The following are multiple choice questions (with answers) about astronomy.

Example 1:
What is the main source of the energy that the Sun radiates?

A) The decay of uranium
B) The fusion of hydrogen into helium
C) The burning of carbon in oxygen
D) Friction between its layers

Answer: B

Example 2:
Which of these bodies is a dwarf planet?

A) Titan
B) Io
C) Mercury
D) Ceres

Answer: D

"""

ROW = {"question": "Which?", "subject": "virology", "choices": ["w", "x", "y", "z"], "answer": 3}


def subjects_of(task):
    return [sample.metadata["subject"] for sample in task.dataset]


def test_zero_shot_prompt(sample_task):
    sample = sample_task(mmlu).dataset[0]
    assert sample.input == ZERO_SHOT
    assert sample.target == "C"
    assert sample.metadata == {"category": "stem", "subject": "astronomy"}


def test_few_shot_prompt_is_examples_and_the_zero_shot_prompt(sample_task):
    assert sample_task(mmlu, fewshot=2).dataset[0].input == TWO_EXAMPLES + ZERO_SHOT


def test_topic_is_written_in_words(sample_task):
    sample = sample_task(mmlu, subjects="elementary_mathematics", fewshot=1).dataset[0]
    assert sample.input.splitlines()[0] == (
        "The following are multiple choice questions (with answers) about elementary mathematics."
    )


@pytest.mark.parametrize("fewshot", [1, 5])
def test_examples_are_the_same_for_a_subject_and_never_the_question(sample_task, fewshot):
    plain, shown = sample_task(mmlu).dataset, sample_task(mmlu, fewshot=fewshot).dataset
    examples = {}
    for before, after in zip(plain, shown, strict=True):
        assert after.input.endswith(before.input)
        prefix = after.input.removesuffix(before.input)
        assert examples.setdefault(after.metadata["subject"], prefix) == prefix
        assert prefix.count("\nAnswer: ") == fewshot
        question = before.input.split("\n\n", 1)[1]
        assert question not in prefix
        assert question.split("\n\nA) ")[0] not in prefix
    assert len(set(examples.values())) == len(examples) == 5


def test_options_read_from_a_few_shot_prompt_are_the_question_s(sample_task):
    plain, shown = sample_task(mmlu).dataset, sample_task(mmlu, fewshot=5).dataset
    for before, after in zip(plain, shown, strict=True):
        assert read_options(after.input) == read_options(before.input)
        assert list(read_options(after.input)) == ["A", "B", "C", "D"]
        assert after.input.count("The last line of your response") == 1


@pytest.mark.parametrize("fewshot", [0, 5])
def test_reference_answers_are_all_right(sample_task, reference_metrics, fewshot):
    metrics = reference_metrics(sample_task(mmlu, fewshot=fewshot))
    groups = ["stem", "humanities", "social_sciences", "other"]
    groups += ["astronomy", "elementary_mathematics", "high_school_geography", "nutrition", "philosophy"]
    assert metrics == {
        "accuracy": 1,
        "stderr": 0,
        "std": 0,
        **dict.fromkeys(groups, 1),
        **dict.fromkeys([f"{group}_stderr" for group in groups], 0),
    }


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("nutrition", {"nutrition"}),
        (["nutrition", "astronomy"], {"nutrition", "astronomy"}),
        ("stem", {"astronomy", "elementary_mathematics"}),
        (["STEM", "Nutrition", "social sciences"], None),
        ("High-School Geography", {"high_school_geography"}),
    ],
)
def test_subjects_are_chosen_by_name_and_category(sample_task, chosen, expected):
    expected = expected or {"astronomy", "elementary_mathematics", "high_school_geography", "nutrition"}
    found = subjects_of(sample_task(mmlu, subjects=chosen))
    assert set(found) == expected
    assert len(found) == 2 * len(expected)


def test_all_categories_and_letters_are_in_the_sample_rows(sample_task):
    samples = list(sample_task(mmlu).dataset)
    assert {sample.metadata["category"] for sample in samples} == {
        "stem",
        "humanities",
        "social_sciences",
        "other",
    }
    assert {sample.target for sample in samples} == set("ABCD")


def test_examples_of_a_split_without_examples_can_be_evaluated(sample_task):
    assert len(sample_task(mmlu, split="dev").dataset) == 25


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"subjects": "anatomi"},
            "mmlu: subjects: 'anatomi' does not exist. Close: anatomy.",
        ),
        (
            {"subjects": ["anatomy", "high_school_history"]},
            (
                "mmlu: subjects: 'high_school_history' does not exist. Close: high_school_us_history, "
                "high_school_chemistry, high_school_world_history, high_school_european_history, "
                "high_school_biology."
            ),
        ),
        (
            {"subjects": "law"},
            "mmlu: subjects: 'law' does not exist. Close: international_law, professional_law.",
        ),
        (
            {"subjects": 5},
            "mmlu: subjects: 5 does not exist. Categories: stem, humanities, social_sciences, other.",
        ),
        (
            {"subjects": "qqq"},
            "mmlu: subjects: 'qqq' does not exist. Categories: stem, humanities, social_sciences, other.",
        ),
        (
            {"subjects": []},
            (
                "mmlu: subjects is empty. Leave it out to run all, or name one of: "
                "stem, humanities, social_sciences, other."
            ),
        ),
        (
            {"subjects": ""},
            (
                "mmlu: subjects is empty. Leave it out to run all, or name one of: "
                "stem, humanities, social_sciences, other."
            ),
        ),
        (
            {"fewshot": -1},
            ("mmlu: fewshot=-1 is invalid. Expected the number of examples before each question, 0 to 5."),
        ),
        (
            {"fewshot": 6},
            ("mmlu: fewshot=6 is invalid. Expected the number of examples before each question, 0 to 5."),
        ),
        (
            {"fewshot": "five"},
            ("mmlu: fewshot='five' is invalid. Expected the number of examples before each question, 0 to 5."),
        ),
        (
            {"fewshot": 5, "split": "dev"},
            (
                "mmlu: the few-shot examples are rows of the split 'dev', so it cannot be evaluated with "
                "fewshot=5. Use fewshot=0 or another split."
            ),
        ),
        (
            {"split": "train"},
            "mmlu: the split 'train' does not exist. Splits that can be scored: test, validation, dev.",
        ),
    ],
)
def test_wrong_arguments_are_refused_before_any_row_is_read(arguments, message):
    with pytest.raises(UsageError) as error:
        mmlu(**arguments)
    assert str(error.value) == message


def test_a_subject_without_rows_is_an_error(sample_task, samples_directory):
    with pytest.raises(DataError) as error:
        sample_task(mmlu, subjects=["virology", "anatomy"])
    path = samples_directory / "mmlu" / "test.jsonl"
    assert str(error.value) == f"{path} has no row whose 'subject' is anatomy or virology"


def test_too_few_examples_are_an_error(task_of_rows, tmp_path):
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu, {"test": [ROW], "dev": [ROW, ROW]}, fewshot=3)
    assert str(error.value) == (
        f"row 1 of {tmp_path / 'test.jsonl'}: {tmp_path / 'dev.jsonl'} has 2 examples for 'virology', but fewshot=3"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": -1}, "the target -1 is outside the 4 options; the split may have no labels"),
        ({"subject": "alchemy"}, "'alchemy' is not one of the 57 subjects"),
    ],
)
def test_a_row_that_does_not_fit_is_named(task_of_rows, tmp_path, change, message):
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu, {"test": [ROW, ROW | change]})
    assert str(error.value) == f"row 2 of {tmp_path / 'test.jsonl'}: {message}"


def test_equal_rows_have_ids_of_their_own(task_of_rows):
    first, second = task_of_rows(mmlu, {"test": [ROW, ROW]}).dataset
    assert second.id == f"{first.id}-2"


@pytest.mark.parametrize("function", [mmlu, mmlu_redux])
def test_settings_of_upstream(sample_task, function):
    assert sample_task(function).config.temperature is None
    task = sample_task(function, settings="upstream")
    assert (task.config.temperature, task.epochs) == (0.5, None)
    with pytest.raises(UsageError) as error:
        sample_task(function, settings="groq")
    expected = f"{function.__name__}: settings='groq' does not exist. Use 'default' or 'upstream'."
    assert str(error.value) == expected
