"""Imports Python files that belong to no installed package: local evals, files beside them, scorers by path."""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_SET_ASIDE: dict[str, dict[str, ModuleType]] = {}
"""The folders that `make_importable` added, with those of their modules whose names another one has taken."""


def module_name(path: Path, stem: str) -> str:
    """Return the name under which a file is imported: files of one stem in several folders do not meet."""
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
