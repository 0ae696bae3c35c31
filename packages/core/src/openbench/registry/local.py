"""Evals that are not installed: a directory or a Python file, or any other file that a plugin makes a module of.

A distribution registers one under the entry-point group `openbench.loaders`: the entry point's name is the suffix of
the files without its dot, and names a function from the path of a file to a module that holds `__metadata__`, the task
function, and if there are any, in `__sources__` the paths of further files that define the eval, and in
`__samples__` the folder of sample rows to be used where none lie beside the file.
"""

import ast
import contextlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from openbench.errors import OpenbenchError, UnimportableError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import UNDECLARED
from openbench.registry.discovery import LOADERS, STAND_INS, by_name, perhaps_left_out
from openbench.registry.imports import import_file, make_importable, module_name
from openbench.registry.plugin_loader import load_only

Loader = Callable[[Path], ModuleType]

M = TypeVar("M", bound=ModuleType | None)

_LOG = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":')
_BY_US = {"toml": "openbench-authoring"}


def split_task(path: Path) -> tuple[Path, str | None]:
    """Split `file.py@task` into the path and the task's name, which is None if the path is there as it is."""
    before, at, task = path.name.rpartition("@")
    return (path.with_name(before), task) if at and before and not path.exists() else (path, None)


def source_file(path: Path) -> Path:
    """Return the file that holds `__metadata__` and the task of the eval at a path."""
    source = path / "__init__.py" if path.is_dir() else path
    if not source.is_file():
        where = f"{path} is a directory without __init__.py" if path.is_dir() else f"{path} does not exist"
        others = _others() if path.suffix not in {"", ".py"} else ""
        raise UsageError(f"{where}. A local eval is a directory or a .py file that defines __metadata__{others}.")
    return source


def load_local_module(path: Path) -> ModuleType:
    """Import the eval at a path, under a name that depends on the path alone.

    A directory is imported as a package, so that its modules can import each other relatively.
    """
    source = source_file(path).resolve()
    folder = source.parent
    stem = f"openbench_local_{folder.name if path.is_dir() else source.stem}"
    name = module_name(source, stem)
    if source.suffix != ".py":
        return sys.modules.get(name) or _load(source, name)
    make_importable(folder.parent if path.is_dir() else folder)
    module = _import(source, lambda: import_file(source, stem, package=path.is_dir()))
    assert module is not None  # noqa: S101 - the file is there, and Python's
    return module


def _import(source: Path, import_it: Callable[[], M]) -> M:
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what it prints must not mix with our own output
            return import_it()
    except (Exception, SystemExit) as error:
        raise UnimportableError(
            f"{source} cannot be imported: {type(error).__name__}: {error}{_instead(error, source)}"
        ) from error


def local_sources(path: Path) -> Sequence[Path]:
    """Return the files that define the eval at a path, its own first.

    Those of a directory are all that it holds, except hidden files, caches and logs; those of a file are what it
    imports or names, and what its module lists.
    """
    own = source_file(path).resolve()
    listed = [own, *getattr(load_local_module(path), "__sources__", ())]
    if path.is_dir():
        return list(dict.fromkeys([*listed, *files_below(own.parent)]))
    return named_files(listed, own.parent)


def local_samples(path: Path) -> Path | None:
    """Return the folder of sample rows that the module of the eval at a path names; None if it names none."""
    return getattr(load_local_module(path), "__samples__", None)


def local_tasks(path: Path, task: str | None = None) -> Sequence[BenchmarkMetadata]:
    """Return the metadata of the evals at a path.

    By default it is the one that `__metadata__` names, or else all. Those that it does not describe go by the name of
    their function, which `@task` of inspect decorates.
    """
    module, source = load_local_module(path), source_file(path)
    metadata, tasks = getattr(module, "__metadata__", None), _decorated(module)
    if isinstance(metadata, BenchmarkMetadata) and task in {None, metadata.function_name}:
        return [replace(metadata, module_path=_module_of(module, metadata, source))]
    if task and task not in tasks:
        raise UsageError(f"{source} has no task {task!r}. Its tasks: {', '.join(tasks) or 'none'}.")
    if not task and (metadata is not None or not tasks):
        found = "has no __metadata__" if metadata is None else f"has a {type(metadata).__name__} as __metadata__"
        way_out = "Set it to a BenchmarkMetadata (from openbench.metadata), or decorate the task with Inspect's @task."
        raise UsageError(f"{source} {found}. {way_out}")
    docs = {name: (inspect.getdoc(tasks[name]) or name).partition("\n")[0] for name in ([task] if task else tasks)}
    return [BenchmarkMetadata(name, doc, UNDECLARED, [], module.__name__, name) for name, doc in docs.items()]


def _decorated(module: ModuleType) -> dict[str, Callable[..., object]]:
    """Return the functions of a module that inspect's `@task` decorates, by name."""
    util = sys.modules.get("inspect_ai.util")  # which whatever has a task has imported
    found = {}
    for name, value in vars(module).items() if util else ():
        with contextlib.suppress(ValueError):  # it is not registered with Inspect
            if callable(value) and util and util.registry_info(value).type == "task":
                found[name] = value
    return {name: value for name, value in found.items() if value.__module__.startswith(module.__name__)}


def _module_of(module: ModuleType, metadata: BenchmarkMetadata, source: Path) -> str:
    """Return the name of the module with the task: of a directory, that with which `module_path` ends goes first."""
    last = metadata.module_path.rpartition(".")[2]
    inner = f"{module.__name__}.{last}"
    if last and hasattr(module, "__path__") and importlib.util.find_spec(inner):
        inside = _import(source, lambda: importlib.import_module(inner))
        if callable(getattr(inside, metadata.function_name, None)):
            return inner
    if callable(getattr(module, metadata.function_name, None)):
        return module.__name__
    raise UsageError(f"{source} has no function {metadata.function_name!r}, which __metadata__ names.")


def load_loader(suffix: str, *, what: str | None = None) -> Loader:
    """Load what a plugin registers for a suffix (without its dot); errors say that it is needed for `what`."""
    expected = "a function from a path to a module"
    return load_only(what or f"the loader of .{suffix} files", by_name(LOADERS)[suffix], _loader, expected)


def _loader(value: object) -> Loader | None:
    return value if callable(value) else None


def _load(source: Path, name: str) -> ModuleType:
    """Let the plugin that registers a file's suffix make a module of it."""
    suffix = source.suffix.removeprefix(".").lower()
    found = by_name(LOADERS).get(suffix)
    if not found:
        raise UsageError(_unread(source, suffix))
    load = load_loader(suffix, what=str(source))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            module: object = load(source)
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{source} cannot be loaded by {found[0]}: {type(error).__name__}: {error}") from error
    if not isinstance(module, ModuleType):
        raise UsageError(
            f"{source}: {found[0]} makes a {type(module).__name__} of it, where a module is expected. Tell its authors."
        )
    module.__name__ = name
    sys.modules[name] = module
    return module


def _instead(error: BaseException, source: Path) -> str:
    """Return the advice of the plugin that stands in for a missing module, for a file's imports; empty without one."""
    found = by_name(STAND_INS).get(str(getattr(error, "name", None)).partition(".")[0], ())
    return f". {found[0].load()(source)}" if found else ""


def _unread(source: Path, suffix: str) -> str:
    if suffix in _BY_US:
        needed = _BY_US[suffix]
        return f"{source}: .{suffix} files need {needed}{perhaps_left_out()}. Install it: pip install {needed}"
    return f"{source} is not a Python file. A local eval is a directory or a .py file{_others()}."


def _others() -> str:
    return "".join(f", or a .{name} file" for name in sorted(by_name(LOADERS)))


# --- which files an eval is made of ---


_MOST_FILES = 1000
"""Files of a folder that an eval names; one that names a larger folder does not read all of it as its own."""


def files_below(folder: Path) -> Iterator[Path]:
    """Return the files below a folder, sorted, without what is hidden, caches, installed packages, logs and runs."""
    for root, folders, names in os.walk(folder):
        if "run.0.jsonl" in names or "pyvenv.cfg" in names:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in {"__pycache__", "node_modules"})
        yield from (path for name in sorted(names) if name[0] != "." and not _is_output(path := Path(root, name)))


def named_files(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Return files, those that their Python imports or names, and what these import or name in turn, each once.

    A name is a path from the folder of the eval, or of the Python file; that of a folder stands for all files in it.
    """
    found = dict.fromkeys(path.resolve() for path in sources)
    waiting = list(found)
    for source in waiting:  # which grows
        for name in _names(source):
            for base in (source.parent, folder):
                with contextlib.suppress(OSError, ValueError):  # a text that cannot be a path
                    path = (base / name).resolve()
                    inside = islice(files_below(path), _MOST_FILES) if path.is_dir() else [path]
                    new = [each for each in inside if each not in found and each.is_file() and not _is_output(each)]
                    found |= dict.fromkeys(new)
                    waiting += new
    return list(found)


def _names(source: Path) -> set[str]:
    """Return the modules that a Python file imports, as paths, and its texts that may be relative paths."""
    names: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError, OSError):
        for node in ast.walk(ast.parse(source.read_bytes() if source.suffix == ".py" else b"")):
            if isinstance(node, ast.Import | ast.ImportFrom):
                above, module = "../" * (getattr(node, "level", 1) - 1), getattr(node, "module", None)
                for each in node.names:
                    parts = [*(module or "").split("."), *each.name.split(".")]
                    steps = ["/".join(filter(None, parts[:count])) for count in range(1, len(parts) + 1)]
                    names.update(above + step + end for step in steps if step for end in (".py", "/__init__.py"))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"[^/.].*\w", node.value):
                names.add(node.value)
    return names


def _is_output(path: Path) -> bool:
    """Return whether a file is a log, or made by Python of another one."""
    if path.suffix != ".json":
        return path.suffix in {".eval", ".log", ".pyc"}
    try:
        with path.open("rb") as file:
            return bool(_LOG.match(file.read(64)))
    except OSError:
        return True
