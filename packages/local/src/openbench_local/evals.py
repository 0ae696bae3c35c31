"""Finds local evals: a directory, a Python file, or another file for which a plugin provides a loader."""

import contextlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import UNDECLARED, Benchmark
from openbench.registry.sources import Signature, made_signature
from openbench_local.files import files_below, named_files
from openbench_local.loading import importing, load_local_module, source_file, split_task


@dataclass(frozen=True)
class LocalEval(Benchmark):
    """A benchmark in a directory or a file, which must be imported to read its metadata."""

    path: Path = Path()

    def signature(self) -> Signature | None:
        """Return the signature of the task function; None if it is not a function."""
        function = inspect.unwrap(self.task_function())
        return made_signature(function) if inspect.isfunction(function) else None

    def samples_directory(self) -> Path | None:
        """Return the folder of its sample rows: beside its file, or the one named by `__samples__` in its module."""
        named: Path | None = getattr(load_local_module(self.path), "__samples__", None)
        return super().samples_directory() or (named if named and named.is_dir() else None)

    def task_function(self) -> Callable[..., Any]:
        """Import the task function."""
        load_local_module(self.path)  # makes the eval's modules importable
        return super().task_function()

    def _folder(self) -> Path:
        return source_file(self.path).parent

    def _sources(self, folder: Path) -> Sequence[Path]:
        """Return its files: all of a directory; of a file, those that it imports or names, and its `__sources__`."""
        listed = [source_file(self.path).resolve(), *getattr(load_local_module(self.path), "__sources__", ())]
        if self.path.is_dir():
            found: Sequence[Path] = list(dict.fromkeys([*listed, *files_below(folder.resolve())]))
        else:
            found = named_files(listed, folder.resolve())
        rows = [place for kind in ("samples", "goldens") if (place := self._own(kind))]
        return [path for path in found if not any(path.is_relative_to(place) for place in rows)]


def find_locals(path: Path) -> list[Benchmark]:
    """Find all evals at a path; each task of a file that `__metadata__` does not describe is a separate eval."""
    place, task = split_task(path)
    found = _tasks(place, task)
    named = task or found[0].category == UNDECLARED
    return [
        LocalEval(each.function_name, each, path=place, task=each.function_name if named else None) for each in found
    ]


def _tasks(path: Path, task: str | None) -> Sequence[BenchmarkMetadata]:
    """Return the metadata of the evals at a path.

    By default this is the task that `__metadata__` names, or else all tasks. Tasks without metadata are named after
    their function, which is decorated with Inspect's `@task`.
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
    """Return the functions of a module decorated with Inspect's `@task`, by name."""
    util = sys.modules.get("inspect_ai.util")  # already imported if there is a task
    found = {}
    for name, value in vars(module).items() if util else ():
        with contextlib.suppress(ValueError):  # not registered with Inspect
            if callable(value) and util and util.registry_info(value).type == "task":
                found[name] = value
    return {name: value for name, value in found.items() if value.__module__.startswith(module.__name__)}


def _module_of(module: ModuleType, metadata: BenchmarkMetadata, source: Path) -> str:
    """Return the name of the module with the task; in a directory, the one that matches `module_path` is preferred."""
    last = metadata.module_path.rpartition(".")[2]
    inner = f"{module.__name__}.{last}"
    if last and hasattr(module, "__path__") and importlib.util.find_spec(inner):
        inside = importing(source, lambda: importlib.import_module(inner))
        if callable(getattr(inside, metadata.function_name, None)):
            return inner
    if callable(getattr(module, metadata.function_name, None)):
        return module.__name__
    raise UsageError(f"{source} has no function {metadata.function_name!r}, which __metadata__ names.")
