"""The declaration that a solver is static: it shapes what a model is asked, and asks through `generate` alone."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

STATIC_KEY = "openbench_static"

P = ParamSpec("P")


def static(make: Callable[P, Solver]) -> Callable[P, Solver]:
    """Declare the solvers that a function makes to be static, so that the direct engine may run them.

    A static solver reads and writes its `TaskState` and calls `generate`. It uses no tools, no sandbox, no limits, and
    neither inspect's `store()` nor its transcript.

        @static
        @solver
        def politely() -> Solver: ...
    """

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Solver:
        solver = make(*args, **kwargs)
        registry_info(solver).metadata[STATIC_KEY] = True
        return solver

    return made


def is_declared_static(solver: Solver) -> bool:
    """Return whether a solver was declared to be static."""
    return bool(registry_info(solver).metadata.get(STATIC_KEY))
