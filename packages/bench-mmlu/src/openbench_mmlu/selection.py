"""Selection of a part of a benchmark's rows by names that users give."""

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
    """Resolve names to values. Case is ignored; words may be joined by `_`, `-` or a space.

    Args:
        option: The benchmark and its option, which begin the error message.
        chosen: A name, several names, or None for everything.
        groups: The values of each name.
        categories: The names that an error message lists if no known name is similar.

    Raises:
        UsageError: A name is unknown, or none is given.
    """
    if chosen is None:
        return {value for meaning in groups.values() for value in meaning}
    known = {_plain(name): meaning for name, meaning in groups.items()}
    names = list(chosen) if isinstance(chosen, list | tuple) else [chosen]
    if names in ([], [""]):
        raise UsageError(f"{option} is empty. Leave it out to run all, or name one of: {', '.join(categories)}.")
    values: set[str] = set()
    for name in names:
        if _plain(name) not in known:
            raise UsageError(f"{option}: {name!r} does not exist. {_suggestion(name, groups, categories)}")
        values.update(known[_plain(name)])
    return values


def select_rows(rows: Rows, column: str, values: Collection[str]) -> Rows:
    """Keep the rows whose column has one of the given values.

    Raises:
        DataError: No row has.
    """
    kept = [row for row in rows.rows if row.get(column) in values]
    if not kept:
        raise DataError(f"{rows.label} has no row whose {column!r} is {' or '.join(sorted(values))}")
    return Rows(_SELECTED + rows.label.removeprefix(_SELECTED), kept)


def _plain(name: object) -> str:
    return str(name).casefold().replace("-", "_").replace(" ", "_")


def _suggestion(name: object, groups: Mapping[str, object], categories: Sequence[str]) -> str:
    wanted = _plain(name)
    by_plain = {_plain(known): known for known in groups}
    containing = [known for known in by_plain if wanted and wanted in known]
    similar = difflib.get_close_matches(wanted, by_plain, n=_CLOSE)
    close = [by_plain[known] for known in dict.fromkeys([*containing, *similar])][:_CLOSE]
    return f"Close: {', '.join(close)}." if close else f"Categories: {', '.join(categories)}."
