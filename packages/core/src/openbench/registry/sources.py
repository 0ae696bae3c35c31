"""Finds the files of modules and the parameters of functions without importing anything.

`bench describe` and the check of `-T` options must be neither slowed down nor broken by a benchmark's imports.
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
    """A parameter of a task function, as written in its source; it is required if it has no default."""

    name: str
    annotation: str | None
    default: str | None


@dataclass(frozen=True)
class Signature:
    """The parameters of a task function.

    Attributes:
        parameters: Its parameters by name, in order.
        open: Whether it accepts any other keyword.
    """

    parameters: Mapping[str, Parameter]
    open: bool = False

    def accepts(self, name: str) -> bool:
        """Return whether the function accepts a keyword."""
        return self.open or name in self.parameters


def find_module(module: str) -> ModuleSpec | None:
    """Return the spec of a module, searched from its top package down; None if there is no such module.

    `importlib.util.find_spec` would import the parent packages.
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
    """Return the source file of a module; None if there is none."""
    spec = find_module(module)
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def package_folder(module: str) -> Path | None:
    """Return the folder of a module's top package; None if the top is a single module."""
    spec = find_module(module.partition(".")[0])
    locations = list(spec.submodule_search_locations or []) if spec else []
    return Path(locations[0]) if locations else None


def read_signature(module: str | Path, function: str) -> Signature | None:
    """Read the signature of a top-level function from the source of a module, or from a file.

    Returns:
        The signature; None if the source cannot be read or does not define the function, which may be made at run time.
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
    """Return the top-level functions of a file, of which there may be thousands; the last definition of a name wins."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    return {node.name: node for node in tree.body if isinstance(node, _Function)}


def made_signature(function: Callable[..., Any]) -> Signature:
    """Return the signature of an imported function."""
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind not in {p.VAR_KEYWORD, p.VAR_POSITIONAL}]
    return Signature(
        {p.name: Parameter(p.name, _annotation(p), None if p.default is p.empty else repr(p.default)) for p in named},
        open=any(p.kind is p.VAR_KEYWORD for p in parameters),
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
    return Signature({p.name: p for p in parameters}, open=arguments.kwarg is not None)
