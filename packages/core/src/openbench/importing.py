"""Imports Python files that belong to no installed package: local evals, files beside them, scorers by path."""

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def module_name(path: Path, stem: str) -> str:
    """Return the name under which a file is imported: files of one stem in several folders do not meet."""
    return f"{stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def make_importable(folder: Path) -> None:
    """Let files import those of a folder by their names, unless something that is installed has the name."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


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
