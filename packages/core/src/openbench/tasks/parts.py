"""What a task's scorers and solvers are, as data: enough to make them again, and to say who provides them."""

from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.solver import Plan
from inspect_ai.util import RegistryInfo, registry_info

from openbench.redaction import redacted
from openbench.registry import components
from openbench.registry.benchmark import Benchmark
from openbench.registry.versions import distribution_of

_CHAIN = "inspect_ai/chain"


def scorers_of(task: Task, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return a task's scorers as data; see `as_data`."""
    return [as_data(scorer, benchmark) for scorer in task.scorer or ()]


def solvers_of(task: Task, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Return a task's solvers as data, in their order, its set-up first; see `as_data`."""
    return [as_data(solver, benchmark) for solver in _flat([task.setup, task.solver])]


def modules_of(task: Task) -> list[str]:
    """Return the names of the modules that a task's solvers and scorers come from, each once."""
    return sorted({_module(part) for part in _flat([task.setup, task.solver, *(task.scorer or ())])})


def as_data(part: Any, benchmark: Benchmark | None = None) -> dict[str, Any]:
    """Return what a log says of a scorer or solver.

    Args:
        part: The scorer or solver.
        benchmark: The benchmark whose task has it, and may define it.

    Returns:
        Its `name` in inspect's registry, with its package, and its `arguments`; the `distribution` and `version` that
        provide it, None for what lies in a file; and, if it was found by a short name, what decided it (`component`).
    """
    info = _info(part)
    said: dict[str, Any] = {
        "name": info.name if info else getattr(part, "__qualname__", type(part).__qualname__),
        # inspect logs them as options and as steps of the plan, and has no function that reads them off.
        "arguments": redacted(dict(getattr(part, "__registry_params__", {}))),
    }
    component = info.metadata.get(components.METADATA_KEY) if info else None
    if component:
        return {
            **said,
            "distribution": component["distribution"],
            "version": component["version"],
            "component": component,
        }
    module = _module(part)
    if benchmark and module.partition(".")[0] == benchmark.metadata.module_path.partition(".")[0]:
        return {**said, "distribution": benchmark.distribution, "version": benchmark.version}
    distribution, version = distribution_of(module) or (None, None)
    return {**said, "distribution": distribution, "version": version}


def _flat(parts: Iterable[Any]) -> list[Any]:
    """Return single solvers of lists, chains and plans; a chain that has a name of its own is one."""
    flat = []
    for part in parts:
        if isinstance(part, Plan):
            flat += _flat([*part.steps, part.finish])
        elif isinstance(part, Sequence) and ((info := _info(part)) is None or info.name == _CHAIN):
            flat += _flat(part)
        elif part is not None:
            flat.append(part)
    return flat


def _module(part: object) -> str:
    return getattr(part, "__module__", None) or type(part).__module__


def _info(part: object) -> RegistryInfo | None:
    try:
        return registry_info(part)
    except ValueError:
        return None
