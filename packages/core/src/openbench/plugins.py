"""Loads what plugins bring besides benchmarks, one at a time: all are known by name, only the one in use is loaded."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from openbench.errors import UsageError
from openbench.guard import Guard
from openbench.installed import PLUGINS_VARIABLE, Registered, registered
from openbench.problems import load_problem

T = TypeVar("T")


def by_name(group: str) -> Mapping[str, Sequence[Registered]]:
    """Return who registers each name of an entry-point group; nothing is loaded."""
    found: defaultdict[str, list[Registered]] = defaultdict(list)
    for each in registered(group):
        found[each.name].append(each)
    return dict(found)


def load_only(what: str, found: Sequence[Registered], fits: Callable[[object], T | None], expected: str) -> T:
    """Load what exactly one distribution registers under a name.

    Args:
        what: What the user asked for, for messages: `bench compare`, `--executor ray`.
        found: Who registers it: one distribution at least.
        fits: Returns what was loaded if it is of the right type, else None.
        expected: The right type, for messages.

    Raises:
        UsageError: Several distributions do, it cannot be loaded, or it is something else.
    """
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions bring it: {' and '.join(map(str, found))}. Uninstall one, or name the "
            f"plugins to use in {PLUGINS_VARIABLE}."
        )
    with Guard() as guard:
        outcome = guard.call(found[0].module, found[0].load)
    if outcome.error is not None:
        problem = load_problem(found[0], outcome.error)
        raise UsageError(f"{what}: {problem}. {problem.remedy}.") from outcome.error
    loaded = fits(outcome.value)
    if loaded is None:
        value = outcome.value
        given = f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
        raise UsageError(f"{what}: {found[0]} gives {given} where {expected} is expected. Tell its authors.")
    return loaded
