"""CSV in the requested form: rows, the separator and the number of columns."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.options import at_least
from openbench_scorers.responses import response

KEYS = ("has_csv", "separator", "columns")
CSV_KEY = "csv"
"""The key of a sample's metadata with its requirements: a mapping with `separator`, `columns` or both."""

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|"}

_USUAL = (",", ";", "\t")
_FENCED = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_NAN = float("nan")


@dataclass(frozen=True)
class Table:
    """CSV found in a text.

    Attributes:
        separator: The separator of its fields.
        columns: The number of columns of each row.
        rows: The number of rows.
    """

    separator: str
    columns: int
    rows: int


def find_csv(text: str, separator: str | None = None) -> Table | None:
    """Find the longest run of lines that a separator splits into the same number of fields.

    It must have at least two lines and two fields; fields may be quoted, but not span lines. Fenced code is searched
    first. Commas, semicolons, tabs and the expected separator are tried.

    Args:
        text: The text to search.
        separator: The expected separator; it is preferred if several separators give the same number of lines.
    """
    tried = tuple(dict.fromkeys((separator, *_USUAL) if separator else _USUAL))
    fenced = "\n\n".join(_FENCED.findall(text))
    for place in filter(None, (fenced, text)):
        lines = place.splitlines()
        found = [table for each in tried for table in _tables(lines, each)]
        if found:
            return max(found, key=lambda table: table.rows)
    return None


def score_csv(completion: str, separator: str | None = None, columns: int | None = None) -> Score:
    """Check a completion's CSV.

    Each value is 1.0 or 0.0, higher is better: `has_csv` (see `find_csv`), `separator` and `columns` (its separator and
    number of columns are as expected). The last two are NaN (excluded from their mean, and counted) if nothing is
    expected.

    Source: the CSV format check of Aleph Alpha's eval-framework, with fields quoted as in RFC 4180.

    Args:
        completion: The model's completion.
        separator: The expected separator.
        columns: The expected number of columns.
    """
    table = find_csv(response(completion), separator)
    value = {
        "has_csv": float(table is not None),
        "separator": float(table is not None and table.separator == separator) if separator else _NAN,
        "columns": float(table is not None and table.columns == columns) if columns else _NAN,
    }
    return Score(value=value, reason=None if table else unanswered(completion))


@scorer(metrics={key: [mean(), stderr()] for key in KEYS})
def csv_format(separator: str | None = None, columns: int | None = None) -> Scorer:
    """Score with `score_csv`.

    Args:
        separator: The expected separator: one character, or `comma`, `semicolon`, `tab`, `space`, `pipe`.
        columns: The expected number of columns, at least two. A sample's metadata may override either, in a mapping
            `csv`.

    Raises:
        UsageError: An option is invalid.
    """
    expected, number = _separator(separator), _columns(columns)

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        own = state.metadata.get(CSV_KEY) or {}
        try:
            character = _separator(own["separator"]) if "separator" in own else expected
            count = _columns(own["columns"]) if "columns" in own else number
        except (UsageError, TypeError) as error:
            return unscored(f"the sample's metadata, {CSV_KEY}: {error}")
        return score_csv(state.output.completion, character, count)

    return score


def _separator(value: Any) -> str | None:
    if value is None:
        return None
    character = SEPARATORS.get(value, value) if isinstance(value, str) else ""
    if len(character) == 1 and character not in '\r\n"':
        return character
    raise UsageError(f"separator={value!r}: expected one character, or one of {', '.join(SEPARATORS)}.")


def _columns(value: int | None) -> int | None:
    if value is not None:
        at_least("columns", value, 2)
    return value


def _tables(lines: Sequence[str], separator: str) -> list[Table]:
    groups = groupby(_fields(line, separator) for line in lines)
    runs = [(columns, sum(1 for _ in run)) for columns, run in groups if columns > 1]
    return [Table(separator, columns, rows) for columns, rows in runs if rows > 1]


def _fields(line: str, separator: str) -> int:
    if separator not in line:
        return 1
    try:
        return sum(map(len, csv.reader([line], delimiter=separator)))
    except csv.Error:  # a field above the size limit of csv
        return 1
