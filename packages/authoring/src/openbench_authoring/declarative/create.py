"""From a declaration to a task, for the task function of a declared benchmark."""

from __future__ import annotations

import contextlib
import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from openbench.errors import UnknownNameError, UsageError
from openbench_authoring.declarative.asking import answer_if_asked
from openbench_authoring.declarative.config import BenchmarkConfig, declared
from openbench_authoring.declarative.fields import did_you_mean
from openbench_authoring.declarative.toml import resolve
from openbench_local.imports import make_importable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspect_ai import Task


def create_benchmark(
    name: str,
    benchmarks: BenchmarkConfig | Mapping[str, BenchmarkConfig] | None = None,
    *,
    shuffle: bool = False,
    limit: int | None = None,
    split: str | None = None,
) -> Task:
    """Build the task of a declared benchmark.

    Args:
        name: The benchmark's name.
        benchmarks: Its declaration, or a package's declarations by name. In these, a base may name another. By default
            the `BENCHMARKS` of the calling module, or of a module `benchmarks` that it can import or is part of.
        shuffle: Shuffle the samples; False leaves it to the declaration.
        limit: The number of samples; None leaves it to the declaration.
        split: The split; None leaves it to the declaration.

    Raises:
        UsageError: The name is unknown, or its declaration is invalid.
        DataError: The rows cannot be loaded, or one does not fit.
    """
    benchmarks = _registered() if benchmarks is None else benchmarks
    siblings = {} if isinstance(benchmarks, BenchmarkConfig) else benchmarks
    config = benchmarks if isinstance(benchmarks, BenchmarkConfig) else _named(name, benchmarks)
    config = resolve(config, siblings, where=name)
    changes = {"shuffle": shuffle or None, "limit": limit, "split": split}
    changed = {field: value for field, value in changes.items() if value is not None}
    config = declared(name, {**config.fields(), **changed})
    answer_if_asked(config)
    from openbench_authoring.declarative.build import build_declared  # noqa: PLC0415 - metadata modules import this one

    return build_declared(name, config)


def _registered() -> Mapping[str, BenchmarkConfig]:
    frame = inspect.currentframe()
    for _ in ("this function", "create_benchmark"):
        frame = frame.f_back if frame else None
    calling = frame.f_globals if frame else {}
    found = calling.get("BENCHMARKS")
    if found is None:
        folder = Path(calling.get("__file__") or "").parent
        if folder.name == "benchmarks":  # a file of that package, which may be run by its path
            make_importable(folder.parent)
        with contextlib.suppress(ImportError):
            found = getattr(import_module("benchmarks"), "BENCHMARKS", None)
    if not isinstance(found, dict):
        raise UsageError("create_benchmark: BENCHMARKS not found. Pass it: create_benchmark(name, benchmarks).")
    return found


def _named(name: str, benchmarks: Mapping[str, BenchmarkConfig]) -> BenchmarkConfig:
    if name not in benchmarks:
        known = ", ".join(benchmarks) or "none"
        raise UnknownNameError(f"{name}: no such benchmark.{did_you_mean(name, benchmarks)} Known: {known}.")
    return benchmarks[name]
