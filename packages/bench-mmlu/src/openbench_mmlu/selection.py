"""Reads which part of a benchmark a user wants, and keeps its rows."""

import difflib
from collections.abc import Collection, Mapping, Sequence

from openbench.datasets import Rows
from openbench.errors import DataError, UsageError

Selection = str | list[str] | None

_CLOSE = 5
_SELECTED = "the selected rows of "


def choose(
    option: str, chosen: Selection, groups: Mapping[str, Sequence[str]], *, categories: Sequence[str]
) -> set[str]:
    """Return what names mean; case does not matter, nor whether words are joined by `_`, `-` or a space.

    Args:
        option: The benchmark and its option, which begin an error's message.
        chosen: A name, several, or None for everything.
        groups: What each name means.
        categories: The names that a message lists if no known one is close.

    Raises:
        UsageError: A name means nothing, or none is given.
    """
    if chosen is None:
        return {value for meaning in groups.values() for value in meaning}
    known = {_plain(name): meaning for name, meaning in groups.items()}
    names = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
    if names in ([], [""]):
        raise UsageError(f"{option} is empty. Leave it out to run all, or name one of: {', '.join(categories)}.")
    meant: set[str] = set()
    for name in names:
        if _plain(name) not in known:
            raise UsageError(f"{option}: {name!r} does not exist. {_way_out(name, groups, categories)}")
        meant.update(known[_plain(name)])
    return meant


def select_rows(rows: Rows, column: str, values: Collection[str]) -> Rows:
    """Keep the rows with one of some values in a column.

    Raises:
        DataError: There are none.
    """
    kept = [row for row in rows.rows if row.get(column) in values]
    if not kept:
        raise DataError(f"{rows.label} has no row whose {column!r} is {' or '.join(sorted(values))}")
    return Rows(_SELECTED + rows.label.removeprefix(_SELECTED), kept)


def _plain(name: object) -> str:
    return str(name).casefold().replace("-", "_").replace(" ", "_")


def _way_out(name: object, groups: Mapping[str, object], categories: Sequence[str]) -> str:
    wanted = _plain(name)
    by_plain = {_plain(known): known for known in groups}
    containing = [known for known in by_plain if wanted and wanted in known]
    similar = difflib.get_close_matches(wanted, by_plain, n=_CLOSE)
    close = [by_plain[known] for known in dict.fromkeys([*containing, *similar])][:_CLOSE]
    return f"Close: {', '.join(close)}." if close else f"Categories: {', '.join(categories)}."
