"""GridPuzzle: the extraction and scoring of tables."""

import pytest

from openbench_reasoning.grid_puzzle import read_table, record_to_sample, score_table, wrong

MARKDOWN = """**Final answer**

| Year | Wine | Type |
|------|:----:|---|
| **1988** | Ece  Suss. | Pinot Noir |
| 1984 | `Annata` | white |"""
RIGHT = "1984 | Annata | white\n1988 | Ece Suss | pinot noir"


@pytest.mark.parametrize(
    ("completion", "value"),
    [
        (RIGHT, "C"),
        ("Step-by-step solution:\n1. So it is.\n\nFinal Answer:\n" + RIGHT, "C"),
        (MARKDOWN, "C"),
        ("1984 | Annata | red\n\nThat cannot be.\n\nFinal Answer:\n" + RIGHT, "C"),
        ("The final answer follows.\n" + RIGHT + "\nThis is my final answer.", "C"),
        ("<think>1984 | Annata | red</think>\n" + RIGHT, "C"),
        ("Final Answer:\n1984 | Annata | white", "I"),
        ("Final Answer:\n1984 | white | Annata\n1988 | pinot noir | Ece Suss", "I"),
        ("Final Answer:\n1984 | Annata | white\n1988 | Ece Suss | red", "I"),
        ("Final Answer:\n1984 | Annata | white\n1984 | Ece Suss | white\n1988 | Ece Suss | pinot noir", "I"),
        ("Final Answer:\n1984 | Annata | white | sweet\n1988 | Ece Suss | pinot noir", "I"),
    ],
)
def test_tables(completion, value):
    assert score_table(completion, RIGHT).value == value


@pytest.mark.parametrize(("completion", "reason"), [("", "no_response"), ("I do not know.", "invalid_response_format")])
def test_no_table(completion, reason):
    score = score_table(completion, RIGHT)
    assert (score.value, score.reason, score.answer) == ("I", reason, "")


def test_differing_rows_are_named():
    score = score_table("1984 | Annata | white\n1988 | Ece Suss | red", RIGHT)
    assert score.answer == "1984 | annata | white\n1988 | ece suss | red"
    assert score.explanation == "Rows that differ: 1988."


def test_lines_without_items_are_not_rows():
    assert read_table("a | b\n--- | ---\n|  |  |\n| c | d |") == [("a", "b"), ("c", "d")]


def test_a_sample():
    row = {"key": "462.json", "id": 7, "question": "Match.", "answer": RIGHT}
    sample = record_to_sample(row)
    assert (sample.id, sample.target, sample.metadata) == ("7", RIGHT, {"size": "4x6", "level": "medium"})
    assert wrong(sample) == "1984 | Annata | pinot noir\n1988 | Ece Suss | white"
    with pytest.raises(ValueError, match="key is '46'"):
        record_to_sample({**row, "key": "46"})
