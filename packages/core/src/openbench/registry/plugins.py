"""Loads what plugins bring besides benchmarks, one at a time: all are known by name, only the one in use is loaded."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from openbench.errors import UsageError
from openbench.registry.guard import Guard
from openbench.registry.installed import PLUGINS_VARIABLE, Registered, registered
from openbench.registry.problems import Problem, load_problem, problem

T = TypeVar("T")


def by_name(group: str) -> Mapping[str, Sequence[Registered]]:
    """Return who registers each name of an entry-point group; nothing is loaded."""
    found: defaultdict[str, list[Registered]] = defaultdict(list)
    for each in registered(group):
        found[each.name].append(each)
    return dict(found)


class PluginError(UsageError):
    """What a plugin brings cannot be used; `problem` says why, and the way out."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem}. {problem.remedy}.")
        self.problem = problem


def load(found: Registered, fits: Callable[[object], T | None], expected: str) -> T:
    """Load an entry point under guard.

    Args:
        found: The entry point.
        fits: Returns what was loaded if it is of the right type, else None.
        expected: The right type, for messages.

    Raises:
        PluginError: It cannot be loaded, or it is something else.
    """

    def read() -> tuple[object, T | None]:
        value = found.load()
        return value, fits(value)

    with Guard() as guard:
        outcome = guard.call(found.module, read)
    if outcome.error is not None:
        raise PluginError(load_problem(found, outcome.error)) from outcome.error
    value, loaded = outcome.value
    if loaded is None:
        given = f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
        raise PluginError(problem(found, f"gives {given} where {expected} is expected"))
    return loaded  # type: ignore[no-any-return]


def load_only(what: str, found: Sequence[Registered], fits: Callable[[object], T | None], expected: str) -> T:
    """Load what exactly one distribution registers under a name.

    Args:
        what: What the user asked for, for messages: `bench compare`, `--executor ray`.
        found: Who registers it: one distribution at least.
        fits: As `load` has it.
        expected: Likewise.

    Raises:
        UsageError: Several distributions do, it cannot be loaded, or it is something else.
    """
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions bring it: {' and '.join(map(str, found))}. Uninstall one, or name the "
            f"plugins to use in {PLUGINS_VARIABLE}."
        )
    try:
        return load(found[0], fits, expected)
    except PluginError as error:
        raise UsageError(f"{what}: {error}") from error.__cause__
