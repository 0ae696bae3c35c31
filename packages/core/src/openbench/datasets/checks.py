"""What counts as a number or a list, wherever a value may come from a file or a command line."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, TypeGuard


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number; `True` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is an integer; `True` and `1.0` are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def one_or_several(value: Any) -> list[Any]:
    """Return the items of a list or another sequence; anything else, and a text, is one item."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]
