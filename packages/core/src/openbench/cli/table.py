"""Writes rows in columns."""

import re
import shutil
import textwrap
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

GAP = "  "
_CENT = 0.01
_PARTS = re.compile(r"[^/_: -]*[/_: -]|.+$")


def terminal_width() -> int:
    """Return the width to write for; 80 where it cannot be known."""
    return shutil.get_terminal_size((80, 24)).columns


def display_width(text: str) -> int:
    """Return how many columns a text takes; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
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


def cut_apart(texts: Iterable[str], width: int) -> dict[str, str]:
    """Shorten texts so that what is left of each still tells it from all others; where that takes more, it is wider."""
    whole = {*texts}
    return {text: _cut_apart(text, whole - {text}, width) for text in whole}


def _cut_apart(text: str, others: Collection[str], width: int) -> str:
    shorter = [(True, text)]  # whether it is cut at its start alone, which is best
    for parts in (_PARTS.findall(text), list(text), []):
        if fitting := [each for each in shorter if display_width(each[1]) <= width]:
            return max(fitting, key=lambda each: (each[0], display_width(each[1])))[1]
        for start, end in combinations(range(len(parts) + 1), 2):
            head, middle, tail = ("".join(part) for part in (parts[:start], parts[start:end], parts[end:]))
            if not any(each.startswith(head) and each[len(head) :].endswith(tail) for each in others):
                shorter.append((not head, f"{head}…{tail}"))
            if head and tail and not any(middle in each for each in others):
                shorter.append((False, f"…{middle}…"))
    return min([text for _, text in shorter], key=display_width)


def money(amount: float) -> str:
    """Return an amount with two digits after the point, or two that count where it is less than a cent."""
    return f"{amount:,.2f}" if amount >= _CENT or not amount else f"{amount:.2g}"


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
