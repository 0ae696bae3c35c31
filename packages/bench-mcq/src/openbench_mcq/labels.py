"""Reads a row's label, which datasets write as a letter, a digit, a number or a truth value."""

from collections.abc import Mapping, Sequence
from typing import Any


def label_index(row: Mapping[str, Any], column: str, labels: Sequence[str]) -> int:
    """Return the position of a row's label among the labels of its options, in their order.

    Raises:
        ValueError: The label is none of them; that of a split without labels is often blank or -1.
    """
    label = str(row[column])
    if label not in labels:
        raise ValueError(f"{column}: {label!r} is none of the labels {', '.join(labels)}; the split may have no labels")
    return list(labels).index(label)
