"""Finds modules without importing anything, not even their parents."""

import sys
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def find_module(module: str) -> ModuleSpec | None:
    """Return the spec of a module by walking down from its top package; None if there is no such module.

    `importlib.util.find_spec` would import the parents, which a benchmark may fill with anything.
    """
    return _find(module, tuple(sys.path))


@cache
def _find(module: str, path: tuple[str, ...]) -> ModuleSpec | None:
    parent, _, name = module.rpartition(".")
    search: list[str] | None = None
    if not name:
        return None
    if parent:
        above = _find(parent, path)
        if above is None or above.submodule_search_locations is None:
            return None
        search = list(above.submodule_search_locations)
    for finder in sys.meta_path:
        # The path finder gets the bare name: with a dotted one, a namespace package looks up its parent's module.
        asked = name if finder is PathFinder else module
        spec = finder.find_spec(asked, search)
        if spec is not None:
            return spec
    return None


def source_of(module: str) -> Path | None:
    """Return the file of a module's source; None if there is no such module, or no source of it."""
    spec = find_module(module)
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def package_folder(module: str) -> Path | None:
    """Return the folder of the top package of a module; None if it is no package."""
    spec = find_module(module.partition(".")[0])
    locations = list(spec.submodule_search_locations or []) if spec else []
    return Path(locations[0]) if locations else None
