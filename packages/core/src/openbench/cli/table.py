"""Writes rows in columns."""

import shutil
import textwrap
import unicodedata
from collections.abc import Sequence

GAP = "  "


def terminal_width() -> int:
    """Return the width to write for; 80 where it cannot be known."""
    return shutil.get_terminal_size((80, 24)).columns


def display_width(text: str) -> int:
    """Return how many columns a text takes; wide East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def cut(text: str, width: int) -> str:
    """Shorten a text to a width, with an ellipsis if anything is lost."""
    if display_width(text) <= width:
        return text
    kept = ""
    for char in text:
        if display_width(kept + char) > width - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def cut_start(text: str, width: int) -> str:
    """Shorten a text to a width from its start."""
    return cut(text[::-1], width)[::-1]


def wrapped(text: str, indent: int) -> list[str]:
    """Return a text in lines that fit the terminal; words with hyphens, such as names and options, stay whole."""
    first = " " * indent
    return textwrap.wrap(
        text,
        terminal_width(),
        initial_indent=first,
        subsequent_indent=f"{first}  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def padded(text: str, width: int) -> str:
    """Return a text in exactly this width, cut or followed by spaces."""
    shown = cut(text, width)
    return shown + " " * (width - display_width(shown))


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """Align rows in columns, each as wide as its widest cell.

    Args:
        rows: The rows, all of one length.
        right: Indexes of the columns that are aligned to the right, as numbers are.
    """
    if not rows:
        return []
    widths = [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]
    return [GAP.join(_cells(row, widths, right)).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    cells = []
    for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - display_width(cell))
        cells.append(space + cell if index in right else cell + space)
    return cells
