"""Selects the members of a benchmark family by name, their rows, and a split with labels."""

import difflib
from collections.abc import Collection, Sequence

from openbench.datasets.rows import Rows
from openbench.errors import UsageError

Name = str | int
Selection = Name | list[Name] | None
"""A name, several names in a list or separated by commas, or None for all."""

_CLOSE = 5


def selected_names(option: str, wanted: Selection, known: Collection[str]) -> list[str]:
    """Return the known names in a selection, in the order of the known names; by default, all.

    Case is ignored, and `_`, `-` and a space are equivalent.

    Args:
        option: The benchmark and its option, for error messages.
        wanted: The selection.
        known: All names.

    Raises:
        UsageError: A name is unknown, or the selection is empty.
    """
    if wanted is None:
        return list(known)
    plain = {_plain(name): name for name in known}
    names = [name for name in _listed(wanted, plain) if name.strip()]
    unknown = [name for name in names if _plain(name) not in plain]
    if unknown or not names:
        raise UsageError(
            f"{option}: {(unknown[0] if unknown else wanted)!r} does not exist. {_suggestion(unknown, plain)}"
        )
    chosen = {plain[_plain(name)] for name in names}
    return [name for name in known if name in chosen]


def selected_rows(rows: Rows, option: str, column: str, wanted: Selection) -> Rows:
    """Select the rows with the wanted values in a column; by default, all.

    Raises:
        UsageError: No row has one of the values.
    """
    if wanted is None:
        return rows
    values = selected_names(option, wanted, dict.fromkeys(str(row.get(column)) for row in rows.rows))
    return Rows(rows.label, [row for row in rows.rows if str(row.get(column)) in values], rows.source)


def labelled_split(name: str, split: str, *, labelled: Sequence[str], unlabelled: Sequence[str] = ()) -> str:
    """Check that a split has labels, and return it.

    Raises:
        UsageError: The split has no labels, or does not exist.
    """
    if split in labelled:
        return split
    reason = "has no labels" if split in unlabelled else "does not exist"
    raise UsageError(f"{name}: the split {split!r} {reason}. Splits that can be scored: {', '.join(labelled)}.")


def _listed(wanted: Name | list[Name], known: Collection[str]) -> list[str]:
    if isinstance(wanted, list | tuple):
        return [str(name) for name in wanted]
    whole = str(wanted)
    return [whole] if _plain(whole) in known else whole.split(",")  # a name may contain a comma


def _plain(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


def _suggestion(unknown: list[str], known: dict[str, str]) -> str:
    close = difflib.get_close_matches(_plain(unknown[0]), known, n=_CLOSE) if unknown else []
    if close:
        return f"Close: {', '.join(known[name] for name in close)}."
    return f"Known: {', '.join(known.values())}."
