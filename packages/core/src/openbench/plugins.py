"""Loads what plugins bring besides benchmarks, one at a time: all are known by name, only the one in use is loaded."""

import contextlib
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

from openbench.errors import UsageError
from openbench.installed import PLUGINS_VARIABLE, Registered, registered
from openbench.problems import load_problem


def by_name(group: str) -> Mapping[str, Sequence[Registered]]:
    """Return who registers each name of an entry-point group; nothing is loaded."""
    found: defaultdict[str, list[Registered]] = defaultdict(list)
    for each in registered(group):
        found[each.entry_point.name].append(each)
    return dict(found)


def load_only(what: str, found: Sequence[Registered]) -> object:
    """Load what exactly one distribution registers under a name.

    Args:
        what: What the user asked for, for messages: `bench compare`, `--executor ray`.
        found: Who registers it: one distribution at least.

    Raises:
        UsageError: Several distributions do, or it cannot be loaded.
    """
    origins = [f"{each.distribution} {each.version}" for each in found]
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions bring it: {' and '.join(origins)}. Uninstall one, or name the plugins to "
            f"use in {PLUGINS_VARIABLE}."
        )
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return found[0].entry_point.load()
    except (Exception, SystemExit) as error:
        problem = load_problem(found[0], error)
        raise UsageError(f"{what}: {problem}. {problem.remedy}.") from error


def unfit(what: str, expected: str, found: Sequence[Registered], loaded: object) -> UsageError:
    """Return the error of a plugin that gives something else than what is expected."""
    given = f"the class {loaded.__name__}" if isinstance(loaded, type) else f"a {type(loaded).__name__}"
    origin = f"{found[0].distribution} {found[0].version}"
    return UsageError(f"{what}: {origin} gives {given} where {expected} is expected. Tell its authors.")
