"""Constants in published programs of the original benchmarks, which are parsed but not executed."""

import ast
from typing import Any

from openbench.errors import DataError


def literal(program: str, name: str, kind: type) -> Any:
    """Return the literal of a type that a program assigns to a variable, anywhere in its source.

    Raises:
        DataError: The program does not assign one.
    """
    for node in ast.walk(ast.parse(program)):
        match node:
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant() | ast.Dict() as value) if found == name:
                assigned = ast.literal_eval(value)
                if isinstance(assigned, kind):
                    return assigned
    raise DataError(f"the published program does not assign a literal to {name}")
