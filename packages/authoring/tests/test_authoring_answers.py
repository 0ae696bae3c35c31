"""Rows of declared benchmarks: columns, answer formats, and what is said of rows that do not fit."""

import csv
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import eval as inspect_eval

from openbench.baselines.reference import reference
from openbench.errors import DataError
from openbench_authoring import BenchmarkConfig, create_benchmark
from openbench_authoring.declarative.answers import FORMATS, target_of, truth_of

FREE = {"solver": "generate", "scorer": "exact"}
OPTIONS = ["red", "green", "blue"]


@pytest.fixture
def task(tmp_path):
    """Build the task of rows and a declaration."""

    def build(rows, **given):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return create_benchmark("quiz", BenchmarkConfig(data_type="jsonl", data_source=path, **given))

    return build


def complaint(build, *arguments, **given):
    with pytest.raises(DataError) as error:
        build(*arguments, **given)
    return str(error.value)


# --- formats ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer_format", "value", "choices", "target"),
    [
        ("identity", "Paris", None, "Paris"),
        ("identity", ["Paris", "paris"], None, ["Paris", "paris"]),
        ("index_0", 0, OPTIONS, "A"),
        ("index_0", "2", OPTIONS, "C"),
        ("index_0", 1.0, OPTIONS, "B"),
        ("index_0", [0, 2], OPTIONS, ["A", "C"]),
        ("index_0", 25, None, "Z"),
        ("index_1", 1, OPTIONS, "A"),
        ("index_1", 3, OPTIONS, "C"),
        ("text", "green", OPTIONS, "B"),
        ("text", " blue", OPTIONS, "C"),
        ("text", 4, ["3", "4"], "B"),
        ("letter", "A", OPTIONS, "A"),
        ("letter", " c ", OPTIONS, "C"),
        ("to_string", 123, None, "123"),
        ("to_string", 0.5, None, "0.5"),
        ("to_string", [1, 2], None, ["1", "2"]),
        ("to_string", [[1, 2], [3, 4]], None, "[[1, 2], [3, 4]]"),
        ("to_string", {"a": "ä"}, None, '{"a": "ä"}'),
        ("boolean", True, ["Yes", "No"], "A"),
        ("boolean", False, ["Yes", "No"], "B"),
        ("boolean", "no", None, "B"),
        ("boolean", "TRUE", None, "A"),
        ("boolean", 0, None, "B"),
    ],
)
def test_targets(answer_format, value, choices, target):
    assert target_of(value, answer_format, choices, name="answer") == target


@pytest.mark.parametrize(
    ("answer_format", "value", "choices", "message"),
    [
        (
            "identity",
            3,
            None,
            "expects a text. to_string makes a text of a number; index_0 and index_1 make a letter of it.",
        ),
        ("identity", " ", None, "'answer' is ' ', where answer_format identity expects a text."),
        ("identity", [], None, "'answer' is an empty list, where an answer is expected."),
        (
            "index_0",
            3,
            OPTIONS,
            "the 3 choices are 0 to 2. Check answer_format and the mapping of choices.",
        ),
        ("index_0", -1, OPTIONS, "'answer' is -1, but as answer_format index_0 counts, the 3 choices are 0 to 2."),
        ("index_0", True, OPTIONS, "'answer' is True, but"),
        ("index_0", 0.5, OPTIONS, "'answer' is 0.5, but"),
        ("index_0", "B", OPTIONS, "'answer' is 'B', but"),
        ("index_0", "1_0", None, "'answer' is '1_0', but as answer_format index_0 counts, letters are 0 to 25."),
        ("index_1", 0, OPTIONS, "'answer' is 0, but as answer_format index_1 counts, the 3 choices are 1 to 3."),
        ("text", "pink", OPTIONS, "'answer' is 'pink', which is not one of the choices: ['red', 'green', 'blue']."),
        ("text", "red", ["red", "red "], "'answer' is 'red', which is 2 of the choices: ['red', 'red ']."),
        ("text", "red", None, "it has no choices, among which answer_format text looks for the answer."),
        ("letter", "D", OPTIONS, "'answer' is 'D', where answer_format letter expects one of A to C."),
        ("letter", "AB", OPTIONS, "Several right answers are a list."),
        ("letter", 1, OPTIONS, "'answer' is 1, where answer_format letter expects one of A to C."),
        ("to_string", "", None, "'answer' is '', where an answer is expected."),
        ("boolean", "maybe", None, "'answer' is 'maybe', where answer_format boolean expects true or false."),
        ("boolean", 2, None, "'answer' is 2, where answer_format boolean expects true or false."),
        (
            "boolean",
            True,
            ["No", "Yes"],
            "the choices are ['No', 'Yes'], but in answer_format boolean, true is the first and false the second.",
        ),
    ],
)
def test_answers_that_do_not_fit(answer_format, value, choices, message):
    with pytest.raises(ValueError, match=r".") as error:
        target_of(value, answer_format, choices, name="answer")
    assert str(error.value).startswith(message) or message in str(error.value)


@given(st.sampled_from(sorted(FORMATS)), st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_value_gives_a_target_or_is_refused(answer_format, value):
    try:
        target = target_of(value, answer_format, OPTIONS, name="answer")
    except ValueError:
        return
    targets = target if isinstance(target, list) else [target]
    assert targets
    assert all(isinstance(each, str) and each.strip() for each in targets)
    if answer_format not in {"identity", "to_string"}:
        assert set(targets) <= set("ABC")


@pytest.mark.parametrize("code", ["__import__('os')._exit(3)", "1 == 1", "not False", "print(1)"])
def test_what_a_row_holds_is_never_run(code):
    assert truth_of(code) is None


@pytest.mark.parametrize("answer_format", sorted(FORMATS))
def test_the_reference_scores_one_in_every_format(task, answer_format, tmp_path):
    written = {
        "identity": ["B", "A"],
        "index_0": [1, 0],
        "index_1": [2, 1],
        "text": ["no", "yes"],
        "letter": ["B", "A"],
        "to_string": ["B", "A"],
        "boolean": [False, True],
    }
    rows = [
        {"input": f"{number}?", "choices": ["yes", "no"], "target": target}
        for number, target in enumerate(written[answer_format])
    ]
    made = task(rows, answer_format=answer_format)
    made.solver = reference()
    (log,) = inspect_eval(made, model="mockllm/model", display="none", log_dir=str(tmp_path / "logs"))
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert [sample.target for sample in made.dataset] == ["B", "A"]


# --- columns ----------------------------------------------------------------------------------------------------------


def sample(task, row, **given):
    return next(iter(task([row], **given).dataset))


def test_columns_without_a_mapping_have_the_names_of_their_fields(task):
    row = {"id": 7, "input": "Which?", "target": 2, "choices": OPTIONS, "topic": "colour", "year": 1999}
    made = sample(task, row)
    assert (made.id, made.input, made.target, made.choices) == (7, "Which?", "C", OPTIONS)
    assert made.metadata == {"topic": "colour", "year": 1999}


def test_columns_are_mapped_by_name_alternative_path_and_index(task):
    row = {
        "uid": "q1",
        "query": "Which?",
        "options": {"text": OPTIONS, "label": ["1", "2", "3"]},
        "answers": [{"idx": 1}],
        "info": {"topic": "colour"},
        "split.name": "test",
        "split": {"name": "train"},
        "rest": None,
    }
    mapping = {
        "id": "uid",
        "input": ["question", "query"],
        "choices": "options.text",
        "target": "answers.0.idx",
        "topic": "info.topic",
        "part": "split.name",
    }
    made = sample(task, row, field_mapping=mapping)
    assert (made.id, made.input, made.target, made.choices) == ("q1", "Which?", "B", OPTIONS)
    assert made.metadata == {"topic": "colour", "part": "test", "split": {"name": "train"}, "rest": None}


def test_default_fields_stand_in_for_columns_that_a_row_lacks_or_has_as_null(task):
    rows = [{"input": "1?", "target": True, "choices": None}, {"input": "2?", "target": "no", "choices": ["Y", "N"]}]
    made = task(rows, answer_format="boolean", default_fields={"choices": ["Yes", "No"]})
    assert [(each.choices, each.target) for each in made.dataset] == [(["Yes", "No"], "A"), (["Y", "N"], "B")]


def test_choices_of_a_csv_file_are_json(tmp_path):
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["input", "choices", "target"], ["Which?", json.dumps(OPTIONS), "2"]])
    made = create_benchmark("quiz", BenchmarkConfig(data_type="csv", data_source=path))
    assert [(each.choices, each.target) for each in made.dataset] == [(OPTIONS, "C")]


def test_a_conversation_is_an_input(task):
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    made = sample(
        task,
        {"input": [*turns, {"role": "user", "content": "Name it"}], "target": "x"},
        answer_format="identity",
        **FREE,
    )
    assert [(message.role, message.text) for message in made.input][1:] == [("assistant", "Yes?"), ("user", "Name it")]


# --- rows that do not fit ---------------------------------------------------------------------------------------------

GOOD = {"input": "Which?", "target": 1, "choices": OPTIONS}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"question": "Which?", "target": 1},
            "no column 'input' (columns: question, target). Check the field_mapping of input, or give it in",
        ),
        (
            {**GOOD, "target": None},
            "'target' is null. Check the field_mapping of target, or give it in default_fields.",
        ),
        ({**GOOD, "target": 3}, "'target' is 3, but as answer_format index_0 counts, the 3 choices are 0 to 2."),
        ({**GOOD, "input": 5}, "'input' is 5, where a text or a conversation is expected. Check field_mapping."),
        ({**GOOD, "input": "  "}, "'input' is '  ', where a text or a conversation is expected."),
        ({**GOOD, "choices": []}, "'choices' is [], where a list of choices is expected."),
        ({**GOOD, "choices": "red"}, "'choices' is 'red', where a list of choices is expected."),
        (
            {**GOOD, "choices": {"text": OPTIONS}},
            "where a list of choices is expected. A path such as choices.text looks into a table.",
        ),
        ({**GOOD, "choices": ["red", " "]}, "'choices' is ['red', ' '], in which a choice is empty."),
        ({**GOOD, "choices": ["x"] * 27}, "'choices' has 27 choices, but there are letters for 26."),
        ({**GOOD, "choices": "[1,"}, "'choices' is '[1,', which is not valid JSON:"),
        ({**GOOD, "id": 1.5}, "'id' is 1.5, where an id is expected: a text or a whole number."),
        (
            {"input": "Which?", "target": 1},
            "it has no choices, which the solver multiple_choice, the scorer choice and show_choices need.",
        ),
    ],
)
def test_a_bad_row_is_named(task, tmp_path, row, message):
    raised = complaint(task, [GOOD, row])
    assert raised.startswith(f"row 2 of {tmp_path / 'rows.jsonl'}: ")
    assert message in raised


def test_a_mapped_column_that_is_missing_is_named_with_its_alternatives(task):
    raised = complaint(task, [GOOD], field_mapping={"input": ["question", "query.text"]})
    assert "no column 'question' or 'query.text' (columns: input, target, choices)." in raised
    assert "Check the field_mapping of input" in raised


def test_a_null_is_told_from_a_missing_column(task):
    raised = complaint(
        task, [{**GOOD, "question": None, "query": None}], field_mapping={"input": ["question", "query"]}
    )
    assert "'question' and 'query' are null. Check the field_mapping of input, or give it in default_fields." in raised
    raised = complaint(task, [{**GOOD, "question": None}], field_mapping={"input": ["question", "query"]})
    assert "'question' is null. Check the field_mapping" in raised


def test_a_target_that_no_choice_has_is_found_before_the_run(task):
    raised = complaint(task, [{**GOOD, "target": "green"}], answer_format="identity")
    assert (
        "the target is 'green', where a letter of the choices is expected: A to C. Check answer_format, which is "
        in raised
    )


def test_two_rows_of_one_id_are_named(task, tmp_path):
    raised = complaint(task, [{**GOOD, "id": 1}, GOOD, {**GOOD, "id": "1"}])
    assert raised == f"rows 1 and 3 of {tmp_path / 'rows.jsonl'} have the same id '1'"


def test_rows_without_ids_get_stable_ones(task):
    first, again = ([each.id for each in task([GOOD, GOOD, {**GOOD, "target": 0}]).dataset] for _ in range(2))
    assert first == again
    assert len(set(first)) == 3
