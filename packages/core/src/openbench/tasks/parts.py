"""A task's scorers and solvers as data: enough to create them again, and to name their providers."""

from typing import Any

from inspect_ai import Task

from openbench.redaction import redacted
from openbench.registry import components
from openbench.registry.benchmark import Benchmark
from openbench.registry.versions import distribution_of
from openbench.tasks.solvers import registered, steps_of


def scorers_of(task: Task, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return a task's scorers as data; see `as_data`."""
    return [as_data(scorer, benchmark) for scorer in task.scorer or ()]


def solvers_of(task: Task, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return a task's solvers as data, in their order, its setup first; see `as_data`."""
    return [as_data(solver, benchmark) for solver in steps_of(task)]


def modules_of(task: Task) -> list[str]:
    """Return the names of the modules that a task's solvers and scorers come from, each once."""
    return sorted({_module(part) for part in [*steps_of(task), *(task.scorer or ())]})


def as_data(part: Any, benchmark: Benchmark | None = None) -> dict[str, Any]:
    """Return the description of a scorer or solver that logs contain.

    Args:
        part: The scorer or solver.
        benchmark: The benchmark whose task has it, and may define it.

    Returns:
        Its `name` in Inspect's registry, with its package, and its `arguments`; the `distribution` and `version` that
        provide it, None for a file; and, if it was found by a short name, the decision that chose it (`component`).
    """
    info = registered(part)
    described: dict[str, Any] = {
        "name": info.name if info else getattr(part, "__qualname__", type(part).__qualname__),
        # Inspect logs them as options and as steps of the plan, and has no function that returns them.
        "arguments": redacted(dict(getattr(part, "__registry_params__", {}))),
    }
    component = info.metadata.get(components.METADATA_KEY) if info else None
    if component:
        provider = {"distribution": component["distribution"], "version": component["version"]}
        return {**described, **provider, "component": component}
    module = _module(part)
    if benchmark and module.partition(".")[0] == benchmark.metadata.module_path.partition(".")[0]:
        return {**described, "distribution": benchmark.distribution, "version": benchmark.version}
    distribution, version = distribution_of(module) or (None, None)
    return {**described, "distribution": distribution, "version": version}


def _module(part: object) -> str:
    return getattr(part, "__module__", None) or type(part).__module__
