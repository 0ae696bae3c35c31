"""Declarations of solvers: that they are static, which models can serve them, and their reference."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, ParamSpec

from inspect_ai import Task
from inspect_ai.model import Model
from inspect_ai.solver import Plan, Solver
from inspect_ai.util import RegistryInfo, registry_info

_STATIC, _CHECK, _REFERENCE = "openbench_static", "openbench_check", "openbench_reference"
_CHAIN = "inspect_ai/chain"
_STATIC_OF_INSPECT = re.compile(
    "inspect_ai/(?:assistant_message|chain_of_thought|generate|multiple_choice|prompt_template|self_critique"
    "|system_message|user_message)"
)

P = ParamSpec("P")


def static(make: Callable[P, Solver]) -> Callable[P, Solver]:
    """Declare the solvers of a factory static: the direct engine may run them.

    A static solver reads and writes its `TaskState` and calls `generate`. It uses no tools, no sandbox, no limits, and
    neither Inspect's `store()` nor its transcript.

        @static
        @solver
        def politely() -> Solver: ...
    """
    return _declaring(make, {_STATIC: True})


def is_static(solver: object) -> bool:
    """Return whether a solver is declared static, or is one of Inspect's static solvers."""
    info = registered(solver)
    return info is not None and bool(_STATIC_OF_INSPECT.fullmatch(info.name) or info.metadata.get(_STATIC))


def declare(
    *, check: Callable[[Task, Model], str | None] | None = None, reference: Callable[[], Solver] | None = None
) -> Callable[[Callable[P, Solver]], Callable[P, Solver]]:
    """Declare the requirements of solvers that ask models for more than text.

    Args:
        check: Returns why a model cannot serve a task with the solver, as a clause, or None; called before the first
            request.
        reference: Creates the solver that `--baseline reference` uses in place of the task's.
    """
    return lambda make: _declaring(make, {_CHECK: check, _REFERENCE: reference})


def refusal(task: Task, model: Model) -> str | None:
    """Return why a model cannot serve the solvers of a task, as a clause; None if it can."""
    checks = (check for step in steps_of(task) if (check := _declared(step, _CHECK)))
    return next((why for check in checks if (why := check(task, model))), None)


def declared_reference(task: Task) -> Solver | None:
    """Return the reference solver that a solver of a task declares; None if none does."""
    return next((make() for step in steps_of(task) if (make := _declared(step, _REFERENCE))), None)


def steps_of(task: Task) -> list[Any]:
    """Return a task's solvers in their order, its setup first; chains are flattened unless they have a name."""
    return _flat([task.setup, task.solver])


def registered(part: object) -> RegistryInfo | None:
    """Return Inspect's registry entry for a solver or scorer; None if it is not registered."""
    try:
        return registry_info(part)
    except ValueError:
        return None


def _flat(parts: Iterable[Any]) -> list[Any]:
    flat = []
    for part in parts:
        if isinstance(part, Plan):
            flat += _flat([*part.steps, part.finish])
        elif isinstance(part, Sequence) and ((info := registered(part)) is None or info.name == _CHAIN):
            flat += _flat(part)
        elif part is not None:
            flat.append(part)
    return flat


def _declared(step: object, key: str) -> Any:
    info = registered(step)
    return info.metadata.get(key) if info else None


def _declaring(make: Callable[P, Solver], declared: dict[str, Any]) -> Callable[P, Solver]:
    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Solver:
        solver = make(*args, **kwargs)
        registry_info(solver).metadata.update(declared)
        return solver

    return made
