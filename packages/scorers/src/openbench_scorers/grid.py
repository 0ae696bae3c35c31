"""Grids of integers, such as puzzles, compared cell by cell."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import without_target
from openbench.scorers.reasons import SCORING_FAILED, unanswered, unscored
from openbench_scorers.responses import response

Grid = Sequence[Sequence[int]]

_BETWEEN_ROWS = re.compile(r"\][\s,;]*\[")
_BETWEEN_CELLS = re.compile(r"[\s,]+")
_CELL = re.compile(r"[+-]?\d{1,18}")


def read_grid(text: str) -> Grid | None:
    """Read the last block of lines of integers, separated by commas or spaces; rows may be in brackets.

    Returns:
        Its rows, which may differ in length; None without such a block. A block of one cell, which may be any number,
        counts only if there is no larger one.
    """
    blocks: list[list[list[int]]] = [[]]
    for line in _BETWEEN_ROWS.sub("]\n[", text).splitlines():
        row = _row(line)
        if row:
            blocks[-1].append(row)
        elif blocks[-1]:
            blocks.append([])
    found = [block for block in blocks if block]
    larger = [block for block in found if len(block) > 1 or len(block[0]) > 1]
    return next(reversed(larger or found), None)


def score_grid(completion: str, targets: Sequence[str]) -> Score:
    """Compare the last grid of a completion with the correct ones, exactly.

    Args:
        completion: The model's completion.
        targets: The correct grids, any one of which suffices.

    Returns:
        Correct or incorrect; the metadata's `cell_difference` is the value of `score_grid_difference`. Unscored if a
        target is not a grid.
    """
    difference = score_grid_difference(completion, targets)
    if difference.reason == SCORING_FAILED:
        return difference
    return Score(
        value=INCORRECT if difference.value else CORRECT,
        answer=difference.answer,
        reason=difference.reason,
        metadata={"cell_difference": difference.value},
    )


def score_grid_difference(completion: str, targets: Sequence[str]) -> Score:
    """Compare the last grid of a completion with the correct ones, cell by cell.

    The value is the share of cells that differ, between 0 (the same grid) and 1, lower is better; a cell that only one
    of the grids has counts as different. It is the minimum over the targets, and 1.0 without a grid.

    Args:
        completion: The model's completion.
        targets: The correct grids, any one of which suffices.

    Returns:
        The share; unscored if a target is not a grid.
    """
    golds = [read_grid(target) for target in targets]
    known = [gold for gold in golds if gold]
    if not known or len(known) < len(golds):
        return unscored("the target is not a grid: expected rows of integers separated by commas or spaces.")
    predicted = read_grid(response(completion))
    if predicted is None:
        return Score(value=1.0, reason=unanswered(completion))
    answer = "\n".join(" ".join(map(str, row)) for row in predicted)
    return Score(value=min(_difference(predicted, gold) for gold in known), answer=answer)


FILLED_KEYS = ("exact_match", "score", "normalized_score")


def score_filled_grid(completion: str, targets: Sequence[str], question: str) -> Score:
    """Compare a grid whose masked cells were to be filled in with the correct grid and the question's.

    Source: Siedler 2025, SPhyR, arXiv 2505.16048.

    Args:
        completion: The model's completion: rows of cells separated by spaces, and nothing else.
        targets: The correct grid, in the same form.
        question: The question; its grid is the last block of lines with the same shape as the correct grid.

    Returns:
        `exact_match`, 1 or 0; `score`, 1 minus the number of cells that differ divided by the number of those that
        differed in the question, at most 1; and `normalized_score`, the same but at least 0. Unscored if the target is
        empty, or the question has no such grid.
    """
    gold = _cells("\n".join(targets))
    if not gold:
        return without_target(completion)
    lines = _cells(question)
    shape = [len(row) for row in gold]
    starts = range(len(lines) - len(gold), -1, -1)
    start = next((start for start in starts if [len(row) for row in lines[start : start + len(gold)]] == shape), None)
    if start is None:
        return unscored("the question has no grid with as many rows and cells as the target.", completion)
    predicted = _cells(response(completion))
    wrong, masked = _differing(predicted, gold), _differing(lines[start : start + len(gold)], gold)
    score = 1.0 if not wrong else 1 - wrong / max(masked, 1)
    values = (float(not wrong), score, max(score, 0.0))
    answer = "\n".join(map(" ".join, predicted))
    reason = None if predicted else unanswered(completion)
    return Score(value=dict(zip(FILLED_KEYS, values, strict=True)), answer=answer, reason=reason)


@scorer(metrics=[accuracy(), stderr()])
def grid_match() -> Scorer:
    """Score with `score_grid`: the last grid must equal a target."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_grid(state.output.completion, list(target))

    return score


@scorer(metrics=[mean(), stderr()])
def grid_difference() -> Scorer:
    """Score with `score_grid_difference`: the share of cells that differ, lower is better."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_grid_difference(state.output.completion, list(target))

    return score


def _row(line: str) -> list[int] | None:
    cells = _BETWEEN_CELLS.split(line.strip().strip("[](){},;").strip())
    if not all(map(_CELL.fullmatch, cells)):
        return None
    return [int(cell) for cell in cells]


def _cells(text: str) -> list[list[str]]:
    return [cells for line in text.splitlines() if (cells := line.split())]


def _differing(predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> int:
    rows = zip_longest(predicted, gold, fillvalue=())
    return sum(one != other for said_row, gold_row in rows for one, other in zip_longest(said_row, gold_row))


def _difference(predicted: Grid, gold: Grid) -> float:
    rows = zip_longest(predicted, gold, fillvalue=())
    differs: list[bool] = [
        one != other for said_row, gold_row in rows for one, other in zip_longest(said_row, gold_row)
    ]
    return sum(differs) / len(differs)
