"""Finds modules without importing anything, and imports Python files that belong to no installed package."""

import importlib.util
import sys
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

_SET_ASIDE: dict[str, dict[str, ModuleType]] = {}
"""The folders that `make_importable` added, with those of their modules whose names another one has taken."""


def find_module(module: str) -> ModuleSpec | None:
    """Return the spec of a module by walking down from its top package; None if there is no such module.

    `importlib.util.find_spec` would import the parents, which a benchmark may fill with anything.
    """
    return _find_below(module, tuple(sys.path))


@cache
def _find_below(module: str, path: tuple[str, ...]) -> ModuleSpec | None:
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
    if isinstance(spec := getattr(sys.modules.get(module), "__spec__", None), ModuleSpec):
        return spec  # where a plugin's metadata is imported, its package is
    for finder in sys.meta_path:
        # The path finder gets the bare name: with a dotted one, a namespace package looks up its parent's module.
        asked = module.rpartition(".")[2] if finder is PathFinder else module
        find_spec = getattr(finder, "find_spec", None)  # finders of old have none
        found: ModuleSpec | None = find_spec(asked, list(search) if search is not None else None) if find_spec else None
        if found is not None:
            return found
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


def module_name(path: Path, stem: str) -> str:
    """Return the name under which a file is imported: files of one stem in several folders do not meet."""
    import hashlib  # noqa: PLC0415 - `bench list` imports no file

    return f"{stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def make_importable(folder: Path) -> None:
    """Let files import those of a folder by their names, unless something that is installed has the name.

    Of modules that several such folders have, each folder's files import their own as they are imported and as their
    tasks are built; what they import later, while samples run, is that of the folder that was added last.
    """
    own = str(folder)
    if own in sys.path and (own not in _SET_ASIDE or own == next(filter(_SET_ASIDE.__contains__, sys.path))):
        return
    for name in {file.name.partition(".")[0] for file in folder.glob("*")} & sys.modules.keys():
        place = _folder_of(sys.modules[name])
        if place != own and place in _SET_ASIDE:
            taken = [each for each in sys.modules if each == name or each.startswith(f"{name}.")]
            _SET_ASIDE[place] |= {each: sys.modules.pop(each) for each in taken}
    sys.modules.update(_SET_ASIDE.get(own, {}))
    _SET_ASIDE[own] = {}
    if own in sys.path:
        sys.path.remove(own)
    sys.path.insert(next((at for at, place in enumerate(sys.path) if place in _SET_ASIDE), len(sys.path)), own)


def _folder_of(module: ModuleType) -> str:
    """Return the folder from which a module, or a package, is imported by its name."""
    file = next(iter(getattr(module, "__path__", ())), getattr(module, "__file__", None))
    return str(Path(file).parent) if file else ""


def import_file(path: Path, stem: str, *, package: bool = False) -> ModuleType | None:
    """Import a file once.

    Args:
        path: The file's absolute path.
        stem: What its module's name begins with.
        package: Whether it is the `__init__.py` of a package, whose modules import each other relatively.

    Returns:
        The module; None if there is no Python file at the path.
    """
    name = module_name(path, stem)
    if name in sys.modules:
        return sys.modules[name]
    search = [str(path.parent)] if package else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=search)
    if spec is None or spec.loader is None or not path.is_file():
        return None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses look their module up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
