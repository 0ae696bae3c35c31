"""A leaderboard as tables, CSV and data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from openbench.cli.layout import terminal_width, wrapped
from openbench.registry.names import printable
from openbench_analysis.leaderboard.board import Board, Figure, Row, Standing
from openbench_analysis.leaderboard.config import Benchmark, Category
from openbench_analysis.rendering.tables import Column, Table, markdown, page

MISSING = "-"


def tables(board: Board) -> list[Table]:
    """Return the table of the whole leaderboard, then those of the categories that have several members."""
    shown = (each for each in board.standings if not each.path or len(each.category.members) > 1)
    return [_table(board, standing) for standing in shown]


def as_lines(board: Board) -> list[str]:
    """Return lines for a terminal."""
    width = terminal_width()
    lines = [line for table in tables(board) for line in (*table.lines(width), "")]
    return [*lines, *(line for remark in remarks(board) for line in wrapped(printable(remark), 0))]


def as_markdown(board: Board) -> str:
    """Return Markdown."""
    notes = "".join(f"- {markdown(remark)}\n" for remark in remarks(board))
    return "\n".join([*(table.markdown() for table in tables(board)), notes]).rstrip("\n")


def as_page(board: Board) -> str:
    """Return a page of HTML that needs no other file."""
    return page(board.config.title or "Leaderboard", tables(board), list(remarks(board)))


def remarks(board: Board) -> Iterator[str]:
    """Yield what the tables mean and what to know of them."""
    first = board.standings[0].rows
    yield f"Scores are from 0 to 1, higher is better; ranges are intervals of {board.config.level:.0%}."
    if any(row.ties for standing in board.standings for row in standing.rows):
        yield "Models sharing a letter do not differ significantly (differences by sample, adjusted by Holm's method)."
    elif len(first) > 1:
        yield "Ties are not shown: they take the logs of all models, with headline metrics that have a test."
    for row in first:
        if row.average.missing:
            yield f"{row.model} is incomplete, and has no average: {', '.join(row.average.missing)}."
    yield from board.notes


def as_csv(board: Board) -> str:
    """Return comma-separated plain numbers: a row for each model, and four columns for each category and benchmark."""
    whole = board.standings[0]
    figures = {row.model: dict(_all_figures(board, row.model)) for row in whole.rows}
    paths = list(next(iter(figures.values())))
    headings = [f"{path}{suffix}" for path in paths for suffix in ("", "_stderr", "_low", "_high")]
    rows = [
        [
            "" if row.rank is None else str(row.rank),
            row.model,
            *(cell for path in paths for cell in _numbers(figures[row.model][path])),
            " ".join(row.average.missing),
        ]
        for row in whole.rows
    ]
    return Table([*map(Column, ("rank", "model", *headings, "missing"))], rows).csv()


def as_data(board: Board, problems: Sequence[str]) -> dict[str, Any]:
    """Return a leaderboard as plain data.

    Args:
        board: The leaderboard.
        problems: What could not be read.
    """
    results = {
        path: {
            model: {"location": entry.location, **entry.result.model_dump(mode="json")} for model, entry in of.items()
        }
        for path, of in board.found.items()
    }
    return {
        "title": board.config.title,
        "level": board.config.level,
        "tables": [_standing_data(standing) for standing in board.standings],
        "results": results,
        "notes": list(remarks(board)),
        "problems": list(problems),
    }


def _table(board: Board, standing: Standing) -> Table:
    members = standing.category.members
    tied = any(row.ties for row in standing.rows)
    columns = [Column("model"), Column("rank", right=True), Column("average", right=True), Column("interval")]
    columns += [Column("tied")] * tied
    columns += [Column(_title(key, member), right=True) for key, member in members.items()]
    rows = [_cells(row, tied=tied) for row in standing.rows]
    return Table(columns, rows, caption=_caption(board, standing))


def _caption(board: Board, standing: Standing) -> str:
    if not standing.path:
        return board.config.title or "Leaderboard"
    return standing.category.title or standing.path


def _title(key: str, member: Category | Benchmark) -> str:
    return member.title or key


def _cells(row: Row, *, tied: bool) -> list[str]:
    interval = row.average.interval
    return [
        row.model,
        MISSING if row.rank is None else str(row.rank),
        "incomplete" if row.average.value is None else f"{row.average.value:.3f}",
        f"{interval.low:.3f} to {interval.high:.3f}" if interval else MISSING,
        *([row.ties or MISSING] * tied),
        *(MISSING if figure.value is None else f"{figure.value:.3f}" for figure in row.members.values()),
    ]


def _all_figures(board: Board, model: str) -> Iterator[tuple[str, Figure]]:
    """Yield the figures of a model by path: `average`, then each category and benchmark."""
    for standing in board.standings:
        row = next(row for row in standing.rows if row.model == model)
        if not standing.path:
            yield "average", row.average
        for key, figure in row.members.items():
            yield f"{standing.path}/{key}".lstrip("/"), figure


def _numbers(figure: Figure) -> list[str]:
    limits = (figure.interval.low, figure.interval.high) if figure.interval else (None, None)
    return ["" if each is None else repr(each) for each in (figure.value, figure.standard_error, *limits)]


def _standing_data(standing: Standing) -> Mapping[str, Any]:
    return {
        "path": standing.path,
        "title": standing.category.title,
        "weights": dict(standing.category.weights),
        "rows": [
            {
                "model": row.model,
                "rank": row.rank,
                "complete": row.average.value is not None,
                "average": _data(row.average),
                "tied": row.ties,
                "members": {key: _data(figure) for key, figure in row.members.items()},
            }
            for row in standing.rows
        ],
    }


def _data(figure: Figure) -> Mapping[str, Any]:
    interval = figure.interval
    return {
        "value": figure.value,
        "standard_error": figure.standard_error,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "missing": list(figure.missing),
    }
