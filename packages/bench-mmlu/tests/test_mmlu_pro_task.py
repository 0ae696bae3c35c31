import pytest

from openbench.errors import DataError, UsageError
from openbench.scorers.mcq import read_options
from openbench_mmlu.mmlu_pro import CATEGORIES, mmlu_pro, record_to_example

ZERO_SHOT = """\
Answer the following multiple choice question. The last line of your response should be of the following \
format: 'Answer: $LETTER' (without quotes) where LETTER is one of A, B, C, D, E, F:

The price of coffee rises by 10% and the quantity of tea that is bought rises by 5%. The cross-price \
elasticity of tea with respect to coffee is

A) -2
B) -0.5
C) 0
D) 0.5
E) 2
F) 5"""

ONE_EXAMPLE = """\
The following are multiple choice questions (with answers) about economics.

Example 1:
Ana turns down a job for 120 dollars and another for 90 dollars to study for the same hours. What does the \
studying cost her in forgone pay?

A) 30 dollars
B) 90 dollars
C) 120 dollars
D) 210 dollars

Let's think step by step. Opportunity cost is the value of the best alternative that is given up. The best \
alternative here is the job, worth 120 dollars; the second offer, worth 90, would not have been taken in any \
case.
Answer: C

"""

ROW = {
    "question_id": 7,
    "question": "Which?",
    "options": ["x", "y", "z"],
    "answer": "B",
    "answer_index": 1,
    "cot_content": "",
    "category": "computer science",
    "src": "test",
}


def test_zero_shot_prompt(sample_task):
    sample = sample_task(mmlu_pro, categories="economics").dataset[0]
    assert sample.input == ZERO_SHOT
    assert sample.target == "D"
    assert sample.id == 103
    assert sample.metadata == {"category": "economics", "src": "sample-economics"}


def test_few_shot_prompt_shows_the_reasoning(sample_task):
    sample = sample_task(mmlu_pro, categories="economics", fewshot=1).dataset[0]
    assert sample.input == ONE_EXAMPLE + ZERO_SHOT


def test_examples_leave_the_question_and_its_options_last(sample_task):
    plain, shown = sample_task(mmlu_pro).dataset, sample_task(mmlu_pro, fewshot=5).dataset
    examples = {}
    for before, after in zip(plain, shown, strict=True):
        assert after.input.endswith(before.input)
        prefix = after.input.removesuffix(before.input)
        assert examples.setdefault(after.metadata["category"], prefix) == prefix
        assert prefix.count("\nAnswer: ") == 5
        assert before.input.split("\n\n", 1)[1] not in prefix
        assert read_options(after.input) == read_options(before.input)
        assert after.input.count("The last line of your response") == 1
    assert len(set(examples.values())) == len(examples) == 4


def test_outer_whitespace_of_options_is_removed(sample_task):
    sample = sample_task(mmlu_pro, categories="math").dataset[1]
    assert sample.input.endswith("\nI) 12\nJ) 8")


def test_numbers_of_options_differ(sample_task):
    counts = {len(read_options(sample.input)) for sample in sample_task(mmlu_pro).dataset}
    assert counts == {3, 6, 7, 10}


@pytest.mark.parametrize("fewshot", [0, 5])
def test_reference_answers_are_all_right(sample_task, reference_metrics, fewshot):
    metrics = reference_metrics(sample_task(mmlu_pro, fewshot=fewshot))
    groups = ["biology", "economics", "history", "math"]
    assert metrics == {
        "accuracy": 1,
        "stderr": 0,
        "std": 0,
        **dict.fromkeys(groups, 1),
        **dict.fromkeys([f"{group}_stderr" for group in groups], 0),
    }


@pytest.mark.parametrize("chosen", ["computer science", "computer_science", ["Computer-Science"]])
def test_a_category_of_two_words_is_found_however_they_are_joined(task_of_rows, chosen):
    other = ROW | {"question_id": 8, "category": "law"}
    (sample,) = task_of_rows(mmlu_pro, {"test": [ROW, other]}, categories=chosen).dataset
    assert sample.id == 7


def test_answer_counts_where_the_index_disagrees(task_of_rows):
    (sample,) = task_of_rows(mmlu_pro, {"test": [ROW | {"answer_index": 0}]}).dataset
    assert sample.target == "B"


@pytest.mark.parametrize("answer", ["D", "", "AB"])
def test_an_answer_outside_the_options_is_an_error(task_of_rows, tmp_path, answer):
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu_pro, {"test": [ROW | {"answer": answer}]})
    assert str(error.value) == (
        f"row 1 of {tmp_path / 'test.jsonl'}: the answer {answer!r} is not one of the 3 options"
    )


def test_two_rows_of_one_id_are_an_error(task_of_rows, tmp_path):
    with pytest.raises(DataError) as error:
        task_of_rows(mmlu_pro, {"test": [ROW, ROW]})
    assert str(error.value) == f"rows 1 and 2 of {tmp_path / 'test.jsonl'} have the same id 7"


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (
            "A: Let's think step by step. It is y. The answer is (B).",
            "Let's think step by step. It is y.\nAnswer: B",
        ),
        ("A: It is y.\nThe answer is B", "It is y.\nAnswer: B"),
        ("It is y, as the answer is (B) says.", "It is y, as the answer is (B) says.\nAnswer: B"),
        ("", "Answer: B"),
    ],
)
def test_reasoning_ends_with_the_answer_in_our_format(content, shown):
    example = record_to_example(ROW | {"cot_content": content})
    assert example.input == f"Which?\n\nA) x\nB) y\nC) z\n\n{shown}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"categories": "maths"}, "mmlu_pro: categories: 'maths' does not exist. Close: math."),
        (
            {"categories": "qqq"},
            (
                "mmlu_pro: categories: 'qqq' does not exist. Categories: biology, business, chemistry, "
                "computer science, economics, engineering, health, history, law, math, other, philosophy, "
                "physics, psychology."
            ),
        ),
        (
            {"categories": []},
            (
                "mmlu_pro: categories is empty. Leave it out to run all, or name one of: biology, business, "
                "chemistry, computer science, economics, engineering, health, history, law, math, other, "
                "philosophy, physics, psychology."
            ),
        ),
        (
            {"fewshot": 6},
            ("mmlu_pro: fewshot=6 is invalid. Expected the number of examples before each question, 0 to 5."),
        ),
        (
            {"fewshot": 1, "split": "validation"},
            (
                "mmlu_pro: the few-shot examples are rows of the split 'validation', so it cannot be "
                "evaluated with fewshot=1. Use fewshot=0 or another split."
            ),
        ),
        (
            {"split": "dev"},
            "mmlu_pro: the split 'dev' does not exist. Splits that can be scored: test, validation.",
        ),
    ],
)
def test_wrong_arguments_are_refused_before_any_row_is_read(arguments, message):
    with pytest.raises(UsageError) as error:
        mmlu_pro(**arguments)
    assert str(error.value) == message


def test_there_are_fourteen_categories():
    assert len(set(CATEGORIES)) == 14
