"""Reads published texts, such as a benchmark's original prompt: pinned, stored, and never executed."""

import ast

from openbench.datasets.rows import read_rows
from openbench.errors import DataError
from openbench.metadata import DatasetSource

_STRIPPING = {"strip", "lstrip", "rstrip"}


def read_text(source: DatasetSource, *, variable: str | None = None) -> str:
    """Return a published text, fetched once and then read from the store; logs list it among the datasets.

    Args:
        source: The file, of the type `text`, with its pin.
        variable: For a Python file, the name of a module-level variable with the text. The file is parsed, not
            executed: the value must be a string literal, or several concatenated, optionally with `.strip()`,
            `.lstrip()` or `.rstrip()`.

    Raises:
        DataError: The file cannot be read, does not match its pin, or does not assign a string to the variable.
    """
    rows = read_rows(source)
    text = str(rows.rows[0]["text"])
    if variable is None:
        return text
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise DataError(f"{rows.label}, line {error.lineno}: it is not valid Python: {error.msg}") from error
    for statement in reversed(body):
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name == variable:
                if (found := _string(value)) is not None:
                    return found
                raise DataError(f"{rows.label}, line {statement.lineno}: {variable} is not a string literal")
    raise DataError(f"{rows.label} does not assign {variable}")


def _string(value: ast.expr) -> str | None:
    """Return the value of a string expression; None for any other form."""
    match value:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            before, after = _string(left), _string(right)
            return None if before is None or after is None else before + after
        case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[], keywords=[]) if method in _STRIPPING:
            stripped = _string(inner)
            return None if stripped is None else str(getattr(stripped, method)())
    return None
