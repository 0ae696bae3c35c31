"""Choices in the question of a declaration, wherever a model must answer with a letter and would not see them."""

import json

import pytest

from openbench.errors import DataError, UsageError
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_authoring import BenchmarkConfig, create_benchmark

OPTIONS = ["red", "green", "blue"]
SHOWN = create_dynamic_multiple_choice_prompt("Question 1?", OPTIONS)


@pytest.fixture
def task(tmp_path):
    """Build a task of rows, three if none are given, with the solver generate and the scorer mcq."""

    def build(*rows, **given):
        rows = rows or [{"input": f"Question {n}?", "choices": OPTIONS, "target": n} for n in (1, 2, 0)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "rows.jsonl").write_text(text, "utf-8")
        message = {"data_type": "jsonl", "data_source": "rows.jsonl", "folder": tmp_path}
        return create_benchmark("quiz", BenchmarkConfig(**{**message, "solver": "generate", "scorer": "mcq", **given}))

    return build


@pytest.mark.parametrize("scorer", ["mcq", "choice", "exact"])
def test_a_model_that_must_answer_with_a_letter_sees_the_options(task, scorer):
    [first, *_] = task(scorer=scorer).dataset
    assert (first.input, first.target, first.choices) == (SHOWN, "B", OPTIONS)


@pytest.mark.parametrize(
    ("answer_format", "answer"), [("letter", "b"), ("text", "green"), ("index_1", 2), ("identity", "B")]
)
def test_however_the_letter_is_written(task, answer_format, answer):
    row = {"input": "Question 1?", "choices": OPTIONS, "target": answer}
    assert [sample.input for sample in task(row, answer_format=answer_format).dataset] == [SHOWN]


def test_the_last_turn_of_the_user_shows_them(task):
    turns = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Question 1?"},
    ]
    [sample] = task({"input": turns, "choices": OPTIONS, "target": 1}).dataset
    assert [turn.text for turn in sample.input] == ["Hello.", "Hello.", SHOWN]
    with pytest.raises(DataError, match=r"^the sample 1 has no turn of the user, in which its choices could stand\."):
        task({"id": 1, "input": turns[1:2], "choices": OPTIONS, "target": 1})


def test_choices_of_an_answer_that_is_no_letter_are_not_shown(task):
    rows = [{"input": f"{n}?", "choices": ["A", "B", "0"], "target": target} for n, target in enumerate(["B", "AB"])]
    assert [sample.input for sample in task(*rows, answer_format="identity", scorer="exact").dataset] == ["0?", "1?"]


def test_the_solver_that_shows_them_itself_gets_the_question_alone(task):
    assert task(solver="multiple_choice", scorer="choice").dataset[0].input == "Question 1?"
    with pytest.raises(UsageError, match=r"^quiz: show_choices is False, but the solver multiple_choice always shows"):
        task(solver="multiple_choice", scorer="choice", show_choices=False)


def test_they_can_be_left_out_and_asked_for(task):
    assert task(show_choices=False).dataset[0].input == "Question 1?"
    assert task(show_choices=True).dataset[0].input == SHOWN
    with pytest.raises(DataError, match="it has no choices, which the solver multiple_choice, the scorer choice and"):
        task({"input": "Which?", "target": "B"}, answer_format="letter", show_choices=True)
    with pytest.raises(DataError, match="the target is 'red', where a letter of the choices is expected: A to C"):
        task({"input": "Which?", "choices": OPTIONS, "target": "red"}, answer_format="identity", show_choices=True)


def test_examples_are_asked_in_the_same_form(task):
    example = {"input": "Grass?", "choices": ["pink", "green"], "target": 1}
    turns = task(few_shot={"examples": [example]}).dataset[0].input
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", create_dynamic_multiple_choice_prompt("Grass?", ["pink", "green"])),
        ("assistant", "Answer: B"),
        ("user", SHOWN),
    ]
    [sample, *_] = task(few_shot={"examples": [example], "as": "message"}).dataset
    assert sample.input == f"Grass?\n\nA) pink\nB) green\nAnswer: B\n\n{SHOWN}"
    assert task(few_shot={"examples": [example]}, show_choices=False).dataset[0].input[0].text == "Grass?"
    assert task(few_shot={"count": 1}).dataset[0].input[0].text.endswith("\n\nA) red\nB) green\nC) blue")


def test_an_example_whose_answer_is_no_letter_is_refused_where_questions_ask_for_one(task):
    row = {"input": "Question 1?", "choices": OPTIONS, "target": "B"}
    with pytest.raises(DataError, match=r"row 1 of few_shot\.examples: the target is 'green'"):
        task(row, answer_format="identity", few_shot={"examples": [{**row, "target": "green"}]})
