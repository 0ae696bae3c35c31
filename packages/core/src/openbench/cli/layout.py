"""Rows of text in aligned columns."""

import shutil
import textwrap
from collections.abc import Sequence

GAP = "  "
_CENT = 0.01


def terminal_width() -> int:
    """Return the terminal's width in columns; 80 if it is unknown."""
    return shutil.get_terminal_size((80, 24)).columns


def display_width(text: str) -> int:
    """Return the number of columns that a text takes; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    import unicodedata  # a library to load, for few

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


def money(amount: float) -> str:
    """Format an amount with two decimals, or two significant digits below a cent."""
    return f"{amount:,.2f}" if amount >= _CENT or not amount else f"{amount:.2g}"


def wrapped(text: str, indent: int, hanging: int = 2) -> list[str]:
    """Wrap a text to the terminal's width, with further lines indented by more; words, such as options, stay whole."""
    first = " " * indent
    return textwrap.wrap(
        text,
        terminal_width(),
        initial_indent=first,
        subsequent_indent=first + " " * hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """Align rows in columns, each as wide as its widest cell.

    Args:
        rows: The rows, all of one length.
        right: Indexes of the columns that are aligned to the right, as numbers are.
    """
    aligned = []
    for at, cells in enumerate(zip(*rows, strict=True)):
        sizes = [*map(display_width, cells)]
        width = max(sizes)
        spaces = [" " * (width - size) for size in sizes]
        pairs = zip(spaces, cells, strict=True) if at in right else zip(cells, spaces, strict=True)
        aligned.append(map("".join, pairs))
    return [GAP.join(cells).rstrip() for cells in zip(*aligned, strict=True)]
