"""Values that the programs of others assign: read from their text, which is parsed and not run."""

import ast
from typing import Any

from openbench.errors import DataError


def literal(program: str, name: str, kind: type) -> Any:
    """Return a value of a type that a program assigns to a variable as a literal, anywhere in it.

    Raises:
        DataError: There is none.
    """
    for node in ast.walk(ast.parse(program)):
        match node:
            case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant() | ast.Dict() as value) if found == name:
                assigned = ast.literal_eval(value)
                if isinstance(assigned, kind):
                    return assigned
    raise DataError(f"the published program assigns no literal to {name}")
