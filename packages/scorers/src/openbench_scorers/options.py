"""Checks of a scorer's options, made when the scorer is created."""

from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from string import Formatter
from typing import Any, TypeGuard

from openbench.errors import UsageError


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a finite number; bools excluded."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def one_or_several(value: Any) -> list[Any]:
    """Return the items of a list or another sequence; any other value, or a string, is one item."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def one_of(option: str, value: object, valid: Iterable[object]) -> None:
    """Check that a value is one of the valid ones.

    Raises:
        UsageError: The value is not valid.
    """
    known = list(valid)
    if value not in known:
        raise UsageError(f"{option}={value!r}: expected one of {', '.join(map(repr, known))}.")


def at_least(option: str, value: Any, least: float) -> None:
    """Check that a value is a number of at least a minimum.

    Raises:
        UsageError: The value is not a number, or is too small.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
        raise UsageError(f"{option}={value!r}: expected a number of at least {least}.")


def template_fields(option: str, template: str, valid: Collection[str], required: Collection[str]) -> None:
    """Check that a prompt template can be parsed, has the required fields, and no unknown ones.

    Raises:
        UsageError: The template is invalid.
    """
    try:
        used = {field for _, field, _, _ in Formatter().parse(template) if field is not None}
    except ValueError as error:
        raise UsageError(f"{option}: {error}. Double braces that are not fields: {{{{ and }}}}.") from error
    for field in sorted(used - set(valid)):
        raise UsageError(
            f"{option}: unknown field {{{field}}}. The fields are {', '.join(sorted(valid))}; "
            "double braces that are not fields: {{ and }}."
        )
    for field in sorted(set(required) - used):
        raise UsageError(f"{option}: the field {{{field}}} is missing: the grader would not see its content.")
