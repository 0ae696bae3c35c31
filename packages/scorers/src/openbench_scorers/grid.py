"""Grids of integers: rows of a puzzle that must come out right, cell by cell."""

import re
from collections.abc import Sequence
from itertools import zip_longest

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.reasons import SCORING_FAILED, unanswered, unscored
from openbench_scorers.responses import response

Grid = Sequence[Sequence[int]]

_BETWEEN_ROWS = re.compile(r"\][\s,;]*\[")
_BETWEEN_CELLS = re.compile(r"[\s,]+")
_CELL = re.compile(r"[+-]?\d{1,18}")


def read_grid(text: str) -> Grid | None:
    """Read the last block of lines that are integers with commas or space between; brackets around rows may be there.

    Returns:
        Its rows, which may differ in length; None if there is no such block. A block of one cell only counts if there
        is no larger one, since it may be any number.
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
    """Compare the last grid of a completion with the right ones, exactly.

    Args:
        completion: What the model answered.
        targets: The right grids, of which one is enough.

    Returns:
        Correct or incorrect; the metadata's `cell_difference` is what `score_grid_difference` gives. Unscored if a
        target is no grid.
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
    """Compare the last grid of a completion with the right ones, cell by cell.

    The value is the share of cells that differ, between 0 (the same grid) and 1, lower is better; a cell that only
    one of the two has differs. It is the minimum over the targets, and 1.0 without a grid.

    Args:
        completion: What the model answered.
        targets: The right grids, of which one is enough.

    Returns:
        The share; unscored if a target is no grid.
    """
    golds = [read_grid(target) for target in targets]
    known = [gold for gold in golds if gold]
    if not known or len(known) < len(golds):
        return unscored("the target is no grid: expected rows of integers with commas or space between.")
    said = read_grid(response(completion))
    if said is None:
        return Score(value=1.0, reason=unanswered(completion))
    answer = "\n".join(" ".join(map(str, row)) for row in said)
    return Score(value=min(_difference(said, gold) for gold in known), answer=answer)


@scorer(metrics=[accuracy(), stderr()], builtin=True)
def grid_match() -> Scorer:
    """Score with `score_grid`: the last grid must be a right one."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_grid(state.output.completion, list(target))

    return score


@scorer(metrics=[mean(), stderr()], builtin=True)
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


def _difference(said: Grid, gold: Grid) -> float:
    rows = zip_longest(said, gold, fillvalue=())
    differs: list[bool] = [
        one != other for said_row, gold_row in rows for one, other in zip_longest(said_row, gold_row)
    ]
    return sum(differs) / len(differs)
