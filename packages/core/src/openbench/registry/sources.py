"""Reads what modules are from their sources, without importing them: their files, and the parameters of functions.

`bench describe` and the check of `-T` options must not pay for, or be broken by, what a benchmark imports.
"""

import ast
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Parameter:
    """One parameter of a task function, as written in its source; without a default it is required."""

    name: str
    annotation: str | None
    default: str | None


@dataclass(frozen=True)
class Signature:
    """What a task function accepts.

    Attributes:
        parameters: Its parameters by name, in order.
        open: Whether it takes any further keyword.
        doc: The first line of its docstring.
    """

    parameters: Mapping[str, Parameter]
    open: bool = False
    doc: str = ""

    def accepts(self, name: str) -> bool:
        """Return whether the function takes a keyword of this name."""
        return self.open or name in self.parameters


def find_module(module: str) -> ModuleSpec | None:
    """Return the spec of a module by walking down from its top package; None if there is no such module.

    `importlib.util.find_spec` would import the parents, which a benchmark may fill with anything.
    """
    top, *below = module.split(".")
    try:
        spec = importlib.util.find_spec(top) if top else None
    except ValueError:  # a loaded module without a spec, such as `__main__`
        return None
    for part in below:
        if spec is None or spec.submodule_search_locations is None or not part:
            return None
        spec = PathFinder.find_spec(part, list(spec.submodule_search_locations))
    return spec


def source_of(module: str) -> Path | None:
    """Return the file of a module's source; None if there is no such module, or no source of it."""
    spec = find_module(module)
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def package_folder(module: str) -> Path | None:
    """Return the folder of the top package of a module; None if it is no package."""
    spec = find_module(module.partition(".")[0])
    locations = list(spec.submodule_search_locations or []) if spec else []
    return Path(locations[0]) if locations else None


def read_signature(module: str | Path, function: str) -> Signature | None:
    """Read the signature of a function at the top of a module, or of a Python file, from its source.

    Returns:
        The signature; None if there is no such source, or no such function in it (it may be made at run time).
    """
    path = module if isinstance(module, Path) else source_of(module)
    if path is None:
        return None
    try:
        node = _functions(path, path.stat().st_mtime_ns).get(function)
    except (OSError, SyntaxError, ValueError):
        return None
    return _signature(node) if node else None


@lru_cache(maxsize=16)
def _functions(path: Path, _changed: int) -> dict[str, _Function]:
    """Return the functions at the top of a file, which may be thousands; of several of a name, the last."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    return {node.name: node for node in tree.body if isinstance(node, _Function)}


def made_signature(function: Callable[..., Any]) -> Signature:
    """Return the signature of a function that is imported."""
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind not in {p.VAR_KEYWORD, p.VAR_POSITIONAL}]
    return Signature(
        {p.name: Parameter(p.name, _annotation(p), None if p.default is p.empty else repr(p.default)) for p in named},
        open=any(p.kind is p.VAR_KEYWORD for p in parameters),
        doc=(inspect.getdoc(function) or "").partition("\n")[0],
    )


def _annotation(parameter: inspect.Parameter) -> str | None:
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return None
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _signature(node: _Function) -> Signature:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    defaults: list[ast.expr | None] = [*[None] * required, *arguments.defaults, *arguments.kw_defaults]
    parameters = [
        Parameter(
            name=argument.arg,
            annotation=ast.unparse(argument.annotation) if argument.annotation else None,
            default=ast.unparse(default) if default else None,
        )
        for argument, default in zip([*positional, *arguments.kwonlyargs], defaults, strict=True)
    ]
    doc = (ast.get_docstring(node) or "").partition("\n")[0]
    return Signature({p.name: p for p in parameters}, open=arguments.kwarg is not None, doc=doc)
