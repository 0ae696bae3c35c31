"""Valid values of a declaration's fields: each function returns what a value should be, or nothing if it is valid."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from string import Formatter
from typing import TypeGuard

Kind = Callable[[object], str]

_SHA256 = 64
_HEX = frozenset("0123456789abcdef")


def anything(value: object) -> str:  # noqa: ARG001 - a kind takes a value
    """Accept anything: it is checked elsewhere."""
    return ""


def text(value: object) -> str:
    """Check for a text that is not blank."""
    return "" if isinstance(value, str) and value.strip() else "a text"


def any_text(value: object) -> str:
    """Check for a text, which may be empty."""
    return "" if isinstance(value, str) else "a text"


def template(value: object) -> str:
    """Check for a template in the form of Inspect's solvers: `{name}` is replaced, `{{` is a brace."""
    if not isinstance(value, str):
        return "a text"
    try:
        plain = all(name != "" and not spec and not how for _, name, spec, how in Formatter().parse(value))
    except ValueError:
        plain = False
    return "" if plain else "a template with {name} for what samples say in their metadata, and {{ }} for braces"


def texts(value: object) -> str:
    """Check for a list of texts."""
    return "" if _is_list(value) and not any(map(text, value)) else "a list of texts"


def flag(value: object) -> str:
    """Check for a truth value."""
    return "" if isinstance(value, bool) else "true or false"


def number(value: object) -> str:
    """Check for a whole number; in Python, truth values are numbers, too."""
    return "" if isinstance(value, int) and not isinstance(value, bool) else "a whole number"


def count(value: object) -> str:
    """Check for a whole number above 0."""
    fits = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return "" if fits else "a whole number above 0"


def table(value: object) -> str:
    """Check for a table."""
    return "" if isinstance(value, Mapping) and all(isinstance(key, str) for key in value) else "a table"


def rows(value: object) -> str:
    """Check for a list of tables that is not empty."""
    return "" if _is_list(value) and value and not any(map(table, value)) else "a list of rows"


def columns(value: object) -> str:
    """Check for a table whose values are columns, or lists of columns."""
    fits = isinstance(value, Mapping) and not any(text(of) and (texts(of) or not of) for of in value.values())
    return "" if fits else "a table of columns, or of lists of columns"


def path(value: object) -> str:
    """Check for a path."""
    return "" if isinstance(value, PurePath) else text(value)


def component(value: object) -> str:
    """Check for a scorer or solver, or its name."""
    return "" if callable(value) or not text(value) else "a name, or in Python a function"


def digest(value: object) -> str:
    """Check for a SHA-256."""
    fits = isinstance(value, str) and len(value) == _SHA256 and _HEX.issuperset(value)
    return "" if fits else "the 64 hex digits of a SHA-256"


def one_of(values: Sequence[str]) -> Kind:
    """Make a check for one of several texts."""

    def check(value: object) -> str:
        return "" if isinstance(value, str) and value in values else f"one of {', '.join(values)}"

    return check


def optional(kind: Kind) -> Kind:
    """Make a check that also accepts `None`."""
    return lambda value: "" if value is None else kind(value)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
