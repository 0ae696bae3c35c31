"""Imports the Python file or directory of an eval; plugins load other files.

A distribution registers a loader in the entry-point group `openbench.loaders`. The entry point's name is the suffix of
the files without its dot. It refers to a function from the path of a file to a module with `__metadata__` and the task
function. Optionally, the module lists further files that define the eval in `__sources__`, and names in `__samples__`
the folder of sample rows to use if there are none beside the file.
"""

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from openbench.errors import OpenbenchError, UnimportableError, UsageError
from openbench.registry.discovery import LOADERS, by_name, perhaps_left_out
from openbench.registry.plugin_loader import load_only
from openbench_local.imports import import_file, make_importable, module_name

Loader = Callable[[Path], ModuleType]

M = TypeVar("M", bound=ModuleType | None)

_OUR_LOADERS = {"toml": "openbench-authoring"}


def split_task(path: Path) -> tuple[Path, str | None]:
    """Split `file.py@task` into the path and the task's name, which is None if the whole path exists."""
    before, at, task = path.name.rpartition("@")
    return (path.with_name(before), task) if at and before and not path.exists() else (path, None)


def source_file(path: Path) -> Path:
    """Return the file with `__metadata__` and the task of the eval at a path."""
    source = path / "__init__.py" if path.is_dir() else path
    if not source.is_file():
        where = f"{path} is a directory without __init__.py" if path.is_dir() else f"{path} does not exist"
        others = _others() if path.suffix not in {"", ".py"} else ""
        raise UsageError(f"{where}. A local eval is a directory or a .py file that defines __metadata__{others}.")
    return source


def load_local_module(path: Path) -> ModuleType:
    """Import the eval at a path, under a name that depends only on the path.

    A directory is imported as a package, so its modules can use relative imports.
    """
    source = source_file(path).resolve()
    folder = source.parent
    stem = f"openbench_local_{folder.name if path.is_dir() else source.stem}"
    name = module_name(source, stem)
    if source.suffix != ".py":
        return sys.modules.get(name) or _load(source, name)
    make_importable(folder.parent if path.is_dir() else folder)
    module = importing(source, lambda: import_file(source, stem, package=path.is_dir()))
    assert module is not None  # noqa: S101 - the file exists and is a Python file
    return module


def importing(source: Path, import_it: Callable[[], M]) -> M:
    """Import a module of an eval; any failure is raised as an `UnimportableError` that names its source file."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # keep its output out of stdout
            return import_it()
    except (Exception, SystemExit) as error:
        raise UnimportableError(
            f"{source} cannot be imported: {type(error).__name__}: {error}{_instead(error, source)}"
        ) from error


def _loader(value: object) -> Loader | None:
    return value if callable(value) else None


def _load(source: Path, name: str) -> ModuleType:
    """Load a file with the loader that a plugin registers for its suffix."""
    suffix = source.suffix.removeprefix(".").lower()
    found = by_name(LOADERS).get(suffix)
    if not found:
        raise UsageError(_unread(source, suffix))
    load = load_only(str(source), found, _loader, "a function from a path to a module")
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module: object = load(source)
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{source} cannot be loaded by {found[0]}: {type(error).__name__}: {error}") from error
    if not isinstance(module, ModuleType):
        raise UsageError(
            f"{source}: {found[0]} returned a {type(module).__name__}; expected a module. Report it to its authors."
        )
    module.__name__ = name
    sys.modules[name] = module
    return module


def _instead(error: BaseException, source: Path) -> str:
    """Return a plugin's advice on a module that a file imports and that is missing; empty without such a plugin."""
    found = by_name("openbench.stand_ins").get(str(getattr(error, "name", None)).partition(".")[0], ())
    return f". {found[0].load()(source)}" if found else ""


def _unread(source: Path, suffix: str) -> str:
    if suffix in _OUR_LOADERS:
        needed = _OUR_LOADERS[suffix]
        return f"{source}: .{suffix} files need {needed}{perhaps_left_out()}. Install it: pip install {needed}"
    return f"{source} is not a Python file. A local eval is a directory or a .py file{_others()}."


def _others() -> str:
    return "".join(f", or a .{name} file" for name in sorted(by_name(LOADERS)))
