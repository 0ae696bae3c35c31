"""Imports Python files outside of installed packages."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_FOLDERS: set[str] = set()
"""The folders that `make_importable` added to `sys.path`."""


def module_name(path: Path, stem: str) -> str:
    """Return the name under which a file is imported, unique to its path."""
    import hashlib  # noqa: PLC0415 - `bench list` does not need it

    return f"{stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def make_importable(folder: Path) -> None:
    """Make the files of a folder importable by name, after installed modules.

    Modules of the same names from folders that were added before are imported anew, so that each folder's files
    import their own.
    """
    own = str(folder)
    for name in {file.name.partition(".")[0] for file in folder.glob("*")} & sys.modules.keys():
        if _folder_of(sys.modules[name]) in _FOLDERS - {own}:
            for loaded in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
                del sys.modules[loaded]
    _FOLDERS.add(own)
    if own in sys.path:
        sys.path.remove(own)
    sys.path.insert(next((at for at, place in enumerate(sys.path) if place in _FOLDERS), len(sys.path)), own)


def _folder_of(module: ModuleType) -> str:
    """Return the folder from which a module, or a package, is imported by its name."""
    file = next(iter(getattr(module, "__path__", ())), getattr(module, "__file__", None))
    return str(Path(file).parent) if file else ""


def import_file(path: Path, stem: str, *, package: bool = False) -> ModuleType | None:
    """Import a file once, under a name that begins with `stem`, optionally as the `__init__.py` of a package.

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
    sys.modules[name] = module  # before it runs: dataclasses look up their module there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
