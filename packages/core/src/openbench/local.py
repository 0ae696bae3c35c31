"""Evals that are not installed: a directory or a single file that holds `__metadata__`."""

import contextlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from openbench.errors import UsageError
from openbench.importing import import_file, module_name
from openbench.metadata import BenchmarkMetadata


def source_file(path: Path) -> Path:
    """Return the file that holds `__metadata__` and the task of the eval at a path.

    Raises:
        UsageError: There is no such file.
    """
    source = path / "__init__.py" if path.is_dir() else path
    if not source.is_file():
        where = f"{path} is a directory without __init__.py" if path.is_dir() else f"{path} does not exist"
        raise UsageError(f"{where}. A local eval is a directory or a .py file that defines __metadata__.")
    return source


def load_local_module(path: Path, *, again: bool = False) -> ModuleType:
    """Import the eval at a path, under a name that depends on the path alone.

    A directory is imported as a package, so that its modules can import each other relatively.

    Args:
        path: The directory or file.
        again: Import it anew, so that what it registers is what was registered last.

    Raises:
        UsageError: There is no eval at the path, or it cannot be imported.
    """
    source = source_file(path).resolve()
    folder = source.parent
    stem = f"openbench_local_{folder.name if path.is_dir() else source.stem}"
    if again:
        name = module_name(source, stem)
        for loaded in [module for module in sys.modules if module == name or module.startswith(f"{name}.")]:
            del sys.modules[loaded]
    neighbours = str(folder.parent if path.is_dir() else folder)
    if neighbours not in sys.path:
        sys.path.append(neighbours)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints must not mix with our own output
            module = import_file(source, stem, package=path.is_dir())
    except (Exception, SystemExit) as error:
        raise UsageError(f"{source} cannot be imported: {type(error).__name__}: {error}") from error
    if module is None:
        raise UsageError(f"{source} is not a Python file. A local eval is a directory or a .py file.")
    return module


def local_metadata(path: Path) -> BenchmarkMetadata:
    """Read the metadata of the eval at a path.

    Of where the task is, only `function_name` counts: the module is the one that holds the metadata.

    Raises:
        UsageError: The eval has no `__metadata__`, or it names no function of the module.
    """
    module = load_local_module(path)
    metadata = getattr(module, "__metadata__", None)
    if not isinstance(metadata, BenchmarkMetadata):
        found = "has no __metadata__" if metadata is None else f"has a {type(metadata).__name__} as __metadata__"
        raise UsageError(f"{source_file(path)} {found}. Set it to a BenchmarkMetadata (from openbench.utils).")
    if not callable(getattr(module, metadata.function_name, None)):
        raise UsageError(f"{source_file(path)} has no function {metadata.function_name!r}, which __metadata__ names.")
    return replace(metadata, module_path=module.__name__)
