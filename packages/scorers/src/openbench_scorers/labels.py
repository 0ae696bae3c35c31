"""Reads the labels of multiple-choice rows, and refuses rows without labels."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any


def label_index(row: Mapping[str, Any], column: str, labels: Sequence[str]) -> int:
    """Return the position of a row's label among the labels of its options, in their order.

    Args:
        row: The row, whose label may be a letter, a digit, a number or a boolean.
        column: The column of the label.
        labels: The labels as strings, as returned by `str`.

    Raises:
        ValueError: The label is not one of them; in a split without labels, it is often blank or -1.
    """
    label = str(row[column])
    if label not in labels:
        raise ValueError(
            f"{column}: {label!r} is not one of the labels {', '.join(labels)}; the split may have no labels"
        )
    return list(labels).index(label)


def target_letter(index: int, options: Sequence[str]) -> str:
    """Return the letter of the correct option.

    Raises:
        ValueError: The index is outside the options; in a split without labels, it is often -1.
    """
    if not 0 <= index < len(options):
        raise ValueError(f"the target {index} is outside the {len(options)} options; the split may have no labels")
    return ascii_uppercase[index]
