"""GridPuzzle: logic puzzles whose clues match the items of several categories, such as people, drinks and years.

Tyagi et al. 2024, https://arxiv.org/abs/2407.14790
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows
from openbench.scorers.reasons import unanswered
from openbench_reasoning.metadata import GRID_PUZZLE
from openbench_scorers.means import by_group
from openbench_scorers.responses import response

_LEVELS = {"1": "easy", "2": "medium", "3": "hard"}
_KEY = re.compile(r"(\d)(\d)([123])\.json")
_FINAL = re.compile(r"final\s+answer", re.IGNORECASE)
_RULE = re.compile(r"[\s|:–—-]*")  # noqa: RUF001 - the line below a table's header, also with long dashes
_DECORATION = " \t*_`'\"“”.,:;"

Row = tuple[str, ...]


@task
def grid_puzzle() -> Task:
    """Solve logic puzzles: match the items of several categories, and answer with a table.

    Raises:
        DataError: The puzzles cannot be loaded.
    """
    return Task(
        name="grid_puzzle",
        dataset=load_samples(read_rows(GRID_PUZZLE), record_to_sample, name="grid_puzzle"),
        solver=generate(),
        scorer=table_match(),
        metrics=[accuracy(), stderr(), by_group("size"), by_group("level")],
    )


def record_to_sample(row: Mapping[str, Any]) -> Sample:
    """Map a puzzle. Its text specifies the form of the answer; its key has the size and level, as in `341.json`.

    Raises:
        ValueError: The key has another form.
    """
    if not (found := _KEY.fullmatch(row["key"])):
        raise ValueError(f"key is {row['key']!r}, expected a key such as '341.json'")
    categories, items, level = found.groups()
    return Sample(
        id=str(row["id"]),
        input=row["question"],
        target=row["answer"],
        metadata={"size": f"{categories}x{items}", "level": _LEVELS[level]},
    )


def wrong(sample: Sample) -> str:
    """Return the target table with the last items of its rows shifted by one row."""
    rows = [line.split("|") for line in str(sample.target).splitlines()]
    last = [cells[-1] for cells in rows]
    return "\n".join("|".join([*cells[:-1], item]) for cells, item in zip(rows, [*last[1:], last[0]], strict=True))


def read_table(text: str) -> list[Row]:
    """Return the rows of a table with vertical bars after the last "final answer", else in the whole text.

    Cells are returned without case, markup, quotes and surrounding punctuation.
    """
    *_, last = _FINAL.split(text)
    return _rows(last) or _rows(text)


def score_table(completion: str, target: str) -> Score:
    """Score an answer's table: each row of the target is in it, and no other row has the same first cell.

    Other rows, such as a header, are ignored, and so is the order of rows. The cells of a row must have the order of
    the target. An answer without a table is unanswered.

    Args:
        completion: The model's completion.
        target: The correct table.
    """
    given, correct = read_table(response(completion)), _rows(target)
    answer = "\n".join(" | ".join(row) for row in given)
    if not given:
        return Score(value=INCORRECT, answer="", reason=unanswered(completion))
    by_item: dict[str, set[Row]] = {}
    for row in given:
        by_item.setdefault(row[0], set()).add(row)
    differing = [row[0] for row in correct if by_item.get(row[0]) != {row}]
    explanation = f"Rows that differ: {', '.join(differing)}." if differing else "All rows are correct."
    return Score(value=INCORRECT if differing else CORRECT, answer=answer, explanation=explanation)


@scorer(metrics=[accuracy(), stderr()])
def table_match() -> Scorer:
    """Score the table of each answer with `score_table`."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_table(state.output.completion, target.text)

    return score


def _rows(text: str) -> list[Row]:
    lines = [line for line in text.splitlines() if "|" in line and not _RULE.fullmatch(line)]
    return [_cells(line.strip().strip("|").split("|")) for line in lines]


def _cells(cells: Sequence[str]) -> Row:
    return tuple(" ".join(cell.casefold().split()).strip(_DECORATION) for cell in cells)
