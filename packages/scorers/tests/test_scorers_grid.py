"""Grids as models write them: fenced, bracketed, after a worked attempt."""

import pytest

from openbench_scorers.grid import read_grid, score_filled_grid, score_grid, score_grid_difference

GRID = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4",
        "1 2\n3 4",
        "1, 2\n3, 4\n",
        "Here it is:\n```\n1 2\n3 4\n```\nDone.",
        "[[1, 2], [3, 4]]",
        "[[1, 2],\n [3, 4]]",
        "[1,2]\n[3,4]",
        "First try:\n9 9\n9 9\n\nThat breaks the rule.\n\n1 2\n3 4",
        "1 2\n3 4\n\nConfidence:\n90",
        "  1\t2  \n  3\t4  ",
        "+1 02\n3 4",
    ],
)
def test_the_last_block(text):
    assert read_grid(text) == GRID


@pytest.mark.parametrize("text", ["", "none", "1.5 2.5", "a b\nc d", "1 two", "-", "[]", "1;2", "9" * 30])
def test_no_grid(text):
    assert read_grid(text) is None


def test_single_cells_and_negative_ones():
    assert read_grid("The answer:\n7") == [[7]]
    assert read_grid("-1 2\n3 -4") == [[-1, 2], [3, -4]]


@pytest.mark.parametrize(
    ("completion", "value", "difference"),
    [
        ("1 2\n3 4", "C", 0.0),
        ("1 2\n3 5", "I", 0.25),
        ("1 2", "I", 0.5),
        ("1 2 9\n3 4 9", "I", 2 / 6),
        ("1 2\n3 4\n5 6", "I", 2 / 6),
        ("9 9\n9 9", "I", 1.0),
    ],
)
def test_scores(completion, value, difference):
    score = score_grid(completion, ["1,2\n3,4"])
    assert (score.value, score.metadata) == (value, {"cell_difference": pytest.approx(difference)})
    assert score_grid_difference(completion, ["1,2\n3,4"]).value == pytest.approx(difference)


def test_the_best_of_several_targets():
    assert score_grid("1 2", ["2 1", "1 2"]).value == "C"
    assert score_grid_difference("1 3", ["2 1", "1 2"]).value == 0.5


def test_no_answer_is_wrong_and_counted():
    assert (score_grid("I cannot.", ["1 2"]).value, score_grid("I cannot.", ["1 2"]).reason) == (
        "I",
        "invalid_response_format",
    )
    assert score_grid_difference("", ["1 2"]).reason == "no_response"
    assert score_grid_difference("", ["1 2"]).value == 1.0


@pytest.mark.parametrize("targets", [[], [""], ["a grid"], ["1 2", "x"]])
def test_a_target_that_is_not_a_grid_is_unscored(targets):
    score = score_grid("1 2", targets)
    assert (str(score.value), score.reason) == ("nan", "scoring_failed")
    assert "expected rows of integers" in score.explanation


def test_long_texts_take_no_time():
    assert read_grid("1 2 3\n" * 100_000 + "] " * 100_000) is not None
    assert read_grid("[" * 100_000 + "]" + " " * 100_000) is None


QUESTION = "Fill in:\n\nL V\nV S\n\nwith 0 or 1. Keep the rows."


@pytest.mark.parametrize(
    ("completion", "values"),
    [
        ("L 1\n0 S", (1.0, 1.0, 1.0)),
        ("L 1\n1 S", (0.0, 0.5, 0.5)),
        ("L V\nV S", (0.0, 0.0, 0.0)),
        ("S 0\n1 L", (0.0, -1.0, 0.0)),
        ("L 1", (0.0, 0.0, 0.0)),  # cells that are missing differ
        ("", (0.0, -1.0, 0.0)),
    ],
)
def test_a_grid_that_was_to_be_filled_in(completion, values):
    assert tuple(score_filled_grid(completion, ["L 1\n0 S"], QUESTION).value.values()) == values


def test_a_filled_grid_that_cannot_be_scored():
    assert score_filled_grid("1", [""], QUESTION).reason == "scoring_failed"
    odd = score_filled_grid("1 2 3", ["1 2 3"], QUESTION)
    assert odd.explanation == "Not scored: the question has no grid with as many rows and cells as the target."
