"""What to paste into an eval's file that does not say what it is."""

import json
from types import FunctionType, ModuleType
from typing import Any

# A class that makes tasks makes one by itself; a declaration does by a function of the package that brings it.
_MADE_BY = {"BenchmarkConfig": ("openbench_authoring", "create_benchmark")}


def lines_to_paste(module: ModuleType, stem: str) -> str:
    """Return the lines that describe the one benchmark of a module, and its task function if that is missing too.

    Args:
        module: The module of the file.
        stem: What the benchmark is called if nothing in the module says it.
    """
    function = _task_function(module)
    made = None if function else _made(module, _identifier(stem))
    function = function or _identifier(stem)
    name = next((each.NAME for each in _classes(module) if isinstance(getattr(each, "NAME", None), str)), function)
    imports = [made[0]] if made and made[0] else []
    lines = [
        *(["from inspect_ai import Task, task"] if made else []),
        "from openbench.metadata import BenchmarkMetadata",
        *imports,
        "",
        "__metadata__ = BenchmarkMetadata(",
        f"    name={_quoted(name)},",
        f"    description={_quoted(name)},",
        '    category="private",',
        "    tags=[],",
        "    module_path=__name__,",
        f"    function_name={_quoted(function)},",
        ")",
        *(["", "", "@task", f"def {function}() -> Task:", f"    return {made[1]}"] if made else []),
    ]
    return "\n".join(lines)


def _task_function(module: ModuleType) -> str | None:
    """Return the first function that says that it gives a task."""
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            given = value.__annotations__.get("return")
            if getattr(given, "__name__", given) == "Task":
                return name
    return None


def _made(module: ModuleType, function: str) -> tuple[str, str] | None:
    """Return an import, if one is needed, and the expression that makes the task; None if nothing there does."""
    for each in _classes(module):
        if callable(getattr(each, "to_task", None)):
            return "", f"{each.__name__}().to_task()"
    for name, value in vars(module).items():
        if type(value).__name__ in _MADE_BY:
            package, maker = _MADE_BY[type(value).__name__]
            return f"from {package} import {maker}", f"{maker}({_quoted(function)}, {name})"
    return None


def _classes(module: ModuleType) -> list[type[Any]]:
    """Return the classes of a module, the last one first: others may derive from what stands before."""
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__]
    return own[::-1]


def _identifier(stem: str) -> str:
    name = "".join(sign if sign.isalnum() else "_" for sign in stem).lower()
    return name if name.isidentifier() else f"eval_{name}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
