"""Finds modules without importing anything, not even their parents."""

import sys
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def find_module(module: str) -> ModuleSpec | None:
    """Return the spec of a module by walking down from its top package; None if there is no such module.

    `importlib.util.find_spec` would import the parents, which a benchmark may fill with anything.
    """
    path = tuple(sys.path)
    spec: ModuleSpec | None = None
    parts = module.split(".")
    for depth, part in enumerate(parts, start=1):
        search = spec.submodule_search_locations if spec else None
        if not part or (spec and search is None):
            return None
        spec = _find(".".join(parts[:depth]), path, tuple(search) if search is not None else None)
        if spec is None:
            return None
    return spec


@cache
def _find(module: str, _path: tuple[str, ...], search: tuple[str, ...] | None) -> ModuleSpec | None:
    for finder in sys.meta_path:
        # The path finder gets the bare name: with a dotted one, a namespace package looks up its parent's module.
        asked = module.rpartition(".")[2] if finder is PathFinder else module
        find_spec = getattr(finder, "find_spec", None)  # finders of old have none
        spec: ModuleSpec | None = find_spec(asked, list(search) if search is not None else None) if find_spec else None
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
