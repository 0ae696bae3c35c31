"""Checks of values that may come from a file or a command line."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from pydantic import ValidationError


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number; bools excluded."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is an integer; bools and `1.0` excluded."""
    return isinstance(value, int) and not isinstance(value, bool)


def one_or_several(value: Any) -> list[Any]:
    """Return the items of a list or another sequence; any other value, or a string, is one item."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def validation_message(error: "ValidationError") -> str:
    """Return the first error of pydantic in one line: where, the rule, what was received."""
    details: Any = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in details["loc"])
    message = str(details["msg"]).removeprefix("Value error, ")
    return f"{where}: {message} (received {details['input']!r:.80})" if where else message
