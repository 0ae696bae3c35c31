"""Makes a local eval from a declaration in TOML, for `bench eval ./benchmark.toml`."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from openbench.registry.benchmark import Benchmark, find_installed
from openbench.registry.catalog import Catalog
from openbench_authoring.declarative.config import BenchmarkConfig, declared, is_module
from openbench_authoring.declarative.create import create_benchmark
from openbench_authoring.declarative.described import benchmark_metadata, key_of
from openbench_authoring.declarative.toml import load_files
from openbench_components.components import Kind, find_component

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai import Task

    MakesTask = Callable[..., Task]


def load_toml(path: Path) -> ModuleType:
    """Return a module with the metadata and the task function of a declaration, which is named like the file.

    The function takes `shuffle`, `limit` and `seed`; their defaults are the declaration's values.

    Raises:
        UsageError: The declaration is invalid, or its base is not installed.
    """
    config, files = load_files(path)
    named = config.base is not None and not is_module(config.base)
    base = find_installed(Catalog.installed(), str(config.base)) if named else None
    key = key_of(path)
    metadata = benchmark_metadata(config, key, module_path=key, inherited=base.metadata if base else None)
    module = ModuleType(key, metadata.description)
    module.__file__ = str(path)
    function = _task_function(key, config, metadata.description)
    if "inspect_ai" in sys.modules:
        function = _registered(function)
        _register_code(config)
    else:
        function = _registered_when_called(function)
    members: dict[str, Any] = {
        "__metadata__": metadata,
        "__sources__": [*files[1:], *_code(config), *_files_of(base)],
        "__samples__": base.samples_directory() if base else None,
        key: function,
    }
    vars(module).update(members)
    return module


def _task_function(key: str, config: BenchmarkConfig, description: str) -> MakesTask:
    def function(shuffle: bool = config.shuffle, limit: int | None = config.limit, seed: int = config.seed) -> Task:
        arguments = {"shuffle": shuffle, "limit": limit, "seed": seed}
        # An unchanged field may still be set by an installed base.
        changed = {name: value for name, value in arguments.items() if value != getattr(config, name)}
        return create_benchmark(key, declared(key, {**config.fields(), **changed}))

    function.__name__ = function.__qualname__ = key
    function.__module__ = f"openbench_local_{key}"  # of no package, so that inspect gives its name no prefix
    function.__doc__ = description
    return function


def _registered(function: MakesTask) -> MakesTask:
    """Register a task function with inspect, which finds it by its name when a run is continued."""
    from inspect_ai import task  # noqa: PLC0415 - `bench describe` must not pay for it

    return task(function)


def _registered_when_called(function: MakesTask) -> MakesTask:
    @functools.wraps(function)
    def wrapper(**arguments: Any) -> Task:
        return _registered(function)(**arguments)

    return wrapper


def _register_code(config: BenchmarkConfig) -> None:
    """Import the Python files that a declaration names, so that a log is scored again by a scorer in one of them."""
    for kind, named in _named_files(config).items():
        find_component(kind, named)


def _named_files(config: BenchmarkConfig) -> dict[Kind, str]:
    """Return the objects that a declaration names as `file.py@name`."""
    named: dict[Kind, str] = {"solver": str(config.solver), "scorer": str(config.scorer)}
    return {kind: name for kind, name in named.items() if name.rpartition("@")[0].endswith(".py")}


def _code(config: BenchmarkConfig) -> list[Path]:
    return [Path(named.rpartition("@")[0]) for named in _named_files(config).values()]


def _files_of(base: Benchmark | None) -> list[Path]:
    return list(base.source_files().values()) if base else []
