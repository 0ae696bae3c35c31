"""MCQEval's styles: one record, asked for a letter, or rendered by a style of another distribution."""

import json

import pytest
from inspect_ai.dataset import MemoryDataset, Sample

from openbench.errors import DataError, UsageError
from openbench.registry import discovery
from openbench.tasks.mcq import LETTERS, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench.utils.mcq import MCQEval, MCQRecord, MCQSample

RECORD = MCQRecord("What shines?", ["the sun", "a rock", "a shoe"], 0, id="q1", metadata={"level": 1}, subject="sky")


def row(**changes):
    return {"question": "Which?", "options": ["red", "green", "blue"], "correct": 1, **changes}


def to_record(row):
    return MCQRecord(row["question"], row["options"], row["correct"], subject=row.get("subject"))


@pytest.fixture
def rows(tmp_path):
    """Write rows as JSON Lines and return the path."""

    def write(*rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return str(path)

    return write


def build(path, **arguments):
    given = {"name": "quiz", "dataset_type": "json", "record_to_mcq_sample": to_record, **arguments}
    return MCQEval(**given, dataset_path=path)


# --- rendering ------------------------------------------------------------------------------------------------------


def test_letters_are_the_prompt_that_a_mapping_would_write():
    sample = LETTERS.render(RECORD)
    assert isinstance(sample, MCQSample)
    assert sample.input == create_dynamic_multiple_choice_prompt(RECORD.question, RECORD.options)
    assert (sample.target, sample.id, sample.metadata) == ("A", "q1", {"level": 1, "subject": "sky"})


def test_options_that_are_numbers():
    record = MCQRecord("How many?", [7, 2.5, "none"], 1)
    assert record.options == ["7", "2.5", "none"]
    assert LETTERS.render(record).input.endswith("A) 7\nB) 2.5\nC) none")


# --- records that do not fit ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": " "}, "the question is blank"),
        ({"question": None}, "the question is None, expected a string"),
        ({"options": []}, "there must be two options or more (received [])"),
        ({"options": ["red"]}, "there must be two options or more (received ['red'])"),
        ({"options": "ABC"}, "the options are 'ABC', expected a list of strings"),
        ({"options": {"A": "red"}}, "the options are {'A': 'red'}, expected a list of strings"),
        ({"options": ["red", " \t"]}, "the option 1 is blank"),
        ({"options": ["red", None]}, "the option 1 is None, expected a string"),
        ({"options": ["red", True]}, "the option 1 is True, expected a string"),
        ({"options": [float("nan"), "red"]}, "the option 0 is nan, expected a string"),
        (
            {"correct": 3},
            "correct is 3, which is outside the 3 options (0 to 2); the split may have no labels",
        ),
        (
            {"correct": -1},
            "correct is -1, which is outside the 3 options (0 to 2); the split may have no labels",
        ),
        ({"correct": "B"}, "correct is 'B', expected the index of an option"),
        ({"correct": True}, "correct is True, expected the index of an option"),
    ],
)
def test_a_row_that_does_not_fit_is_named(rows, changes, message):
    path = rows(row(), row(**changes))
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == f"row 2 of {path}: {message}"


def test_a_row_with_too_many_options_is_named(rows):
    path = rows(row(options=[str(n) for n in range(27)]))
    with pytest.raises(DataError) as caught:
        build(path)
    assert str(caught.value) == f"row 1 of {path}: 27 options, but letters for 26 at most"


# --- tasks ----------------------------------------------------------------------------------------------------------


def test_equal_rows_have_ids_of_their_own(rows):
    path = rows(row(), row(question="Other?"), row())
    assert len({sample.id for sample in build(path).dataset}) == 3


def test_a_row_may_give_several_records(rows):
    def both(row):
        return [to_record(row), to_record({**row, "question": "Again?"})]

    samples = list(build(rows(row()), record_to_mcq_sample=both).dataset)
    assert ["Again?" in sample.input for sample in samples] == [False, True]


@pytest.mark.parametrize("seed", [True, 0])
def test_choices_that_the_prompt_contains_cannot_be_shuffled(rows, seed):
    with pytest.raises(UsageError, match=r"^quiz: shuffle_choices: no sample has choices to shuffle, since its prompt"):
        build(rows(row()), dataset_kwargs={"shuffle_choices": seed})
    assert len(build(rows(row()), dataset_kwargs={"shuffle_choices": False}).dataset) == 1


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"correct": 0, "answer": "yes"}, "got an unexpected keyword argument 'answer'"),
        ({}, "missing 1 required positional argument: 'correct'"),
    ],
)
def test_fields_that_do_not_exist_or_lack_are_named_with_their_row(rows, given, fault):
    path = rows({"question": "Which?"})
    with pytest.raises(DataError) as caught:
        MCQEval(
            name="quiz",
            dataset_type="json",
            dataset_path=str(path),
            record_to_mcq_sample=lambda row: MCQRecord(question=row["question"], options=["yes", "no"], **given),
        )
    assert str(caught.value) == (f"row 1 of {path}: MCQRecord.__init__() {fault}")


# --- styles of other distributions ----------------------------------------------------------------------------------

MIRRORED = '''
"""A style that asks for the question backwards."""

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate
from openbench.tasks.mcq import MCQStyle

MIRRORED = MCQStyle(
    render=lambda record: Sample(record.question[::-1], target=[record.options[record.correct]], id=record.id),
    fits=lambda sample: isinstance(sample.target, list),
    solver=generate,
    scorer=lambda group_keys, additional_metrics, language: match,
)
'''


@pytest.fixture
def alone(monkeypatch):
    """No plugin is installed."""
    monkeypatch.setenv("OPENBENCH_PLUGINS", "")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("style", ["letters_ranked", "cloze", "bits_per_byte"])
def test_a_style_that_is_not_installed_names_its_package(rows, style):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), style=style)
    assert str(caught.value) == (
        f"quiz: the style {style!r} comes with openbench-ranking: pip install openbench-ranking"
    )


@pytest.mark.usefixtures("alone")
def test_an_unknown_style(rows):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), style="letter")
    assert str(caught.value) == (
        "quiz: the style 'letter' is unknown. "
        "Known: letters, letters_ranked, cloze, cloze_unconditional, bits_per_byte."
    )


@pytest.fixture
def mirrored(tmp_path, monkeypatch):
    """A distribution that brings the style `mirrored`, and one `broken` that is none."""
    site = tmp_path / "site"
    info = site / "acme_styles-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-styles\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[openbench.mcq_styles]\nmirrored = acme_styles:MIRRORED\nbroken = acme_styles:match\n", "utf-8"
    )
    (site / "acme_styles.py").write_text(MIRRORED, "utf-8")
    monkeypatch.syspath_prepend(str(site))
    discovery._scan.cache_clear()


@pytest.mark.usefixtures("mirrored")
def test_a_style_of_another_distribution(rows):
    task = build(rows(row(), row(question="Other?")), style="mirrored")
    assert [sample.input for sample in task.dataset] == ["?hcihW", "?rehtO"]
    assert task.metadata["openbench"]["style"] == "mirrored"


@pytest.mark.usefixtures("mirrored")
def test_a_style_that_is_something_else(rows):
    with pytest.raises(UsageError, match=r"^quiz: the style 'broken': .*acme-styles.* refers to a function, expec"):
        build(rows(row()), style="broken")


def to_written(row):
    prompt = create_dynamic_multiple_choice_prompt(row["question"], row["options"])
    return MCQSample(id="q1", input=prompt, target="A")


@pytest.mark.usefixtures("mirrored")
def test_a_prompt_that_is_written_has_one_style(rows):
    with pytest.raises(UsageError) as caught:
        build(rows(row()), record_to_mcq_sample=to_written, style="mirrored")
    assert str(caught.value) == (
        "quiz: the style 'mirrored' does not fit the sample 'q1', which has another style. Return "
        "MCQRecord(question, options, correct) instead of a sample: any style can render it."
    )
    with pytest.raises(UsageError, match=r"^quiz: the style 'letters' does not fit the sample 'q1', which has another"):
        mcq_task(name="quiz", dataset=MemoryDataset([Sample("?", target=["red"], id="q1")]))
