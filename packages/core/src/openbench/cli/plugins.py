"""Subcommands and executors that other distributions bring: all are known by name, only the one in use is loaded."""

import contextlib
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

import click

from openbench.errors import UsageError
from openbench.installed import COMMANDS, EXECUTORS, PLUGINS_VARIABLE, Registered, registered
from openbench.problems import load_problem
from openbench.run.executor import Executor

# Of our own packages, what they do is known before they are there.
COMMANDS_OF_OURS: Mapping[str, tuple[str, str]] = {
    "new": ("openbench-testing", "Write a new benchmark package to start from."),
    "check": ("openbench-testing", "Check that a benchmark keeps the contract."),
    "compare": ("openbench-analysis", "Tell whether two runs differ."),
    "report": ("openbench-analysis", "Write a report of runs."),
    "gate": ("openbench-analysis", "Decide whether a run passes."),
}
EXECUTORS_OF_OURS: Mapping[str, str] = {"isolated": "openbench-isolated", "ray": "openbench-ray"}


def plugin_commands() -> dict[str, list[Registered]]:
    """Return who brings a subcommand, by its name."""
    return _by_name(COMMANDS)


def plugin_executors() -> dict[str, list[Registered]]:
    """Return who brings an executor, by its name."""
    return _by_name(EXECUTORS)


def load_command(name: str, found: Sequence[Registered]) -> click.Command:
    """Load the subcommand that distributions register under a name.

    Raises:
        UsageError: Several distributions do, it cannot be loaded, or it is no command.
    """
    origin, loaded = _load(f"bench {name}", found)
    if not isinstance(loaded, click.Command):
        raise UsageError(f"bench {name}: {origin} gives {_described(loaded)} where a click Command is expected.")
    return loaded


def load_executor(name: str, found: Sequence[Registered]) -> type[Executor]:
    """Load the executor that distributions register under a name.

    Raises:
        UsageError: Several distributions do, it cannot be loaded, or it is no executor.
    """
    origin, loaded = _load(f"--executor {name}", found)
    if not (isinstance(loaded, type) and issubclass(loaded, Executor)):
        raise UsageError(
            f"--executor {name}: {origin} gives {_described(loaded)} where a subclass of Executor is expected."
        )
    return loaded


def _load(what: str, found: Sequence[Registered]) -> tuple[str, object]:
    origins = [f"{each.distribution} {each.version}" for each in found]
    if len(found) > 1:
        raise UsageError(
            f"{what}: several distributions bring it: {' and '.join(origins)}. Uninstall one, or name the plugins to "
            f"use in {PLUGINS_VARIABLE}."
        )
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return origins[0], found[0].entry_point.load()
    except (Exception, SystemExit) as error:
        problem = load_problem(found[0], error)
        raise UsageError(f"{what}: {problem}. {problem.remedy}.") from error


def _described(loaded: object) -> str:
    return f"the class {loaded.__name__}" if isinstance(loaded, type) else f"a {type(loaded).__name__}"


def _by_name(group: str) -> dict[str, list[Registered]]:
    found: defaultdict[str, list[Registered]] = defaultdict(list)
    for each in registered(group):
        found[each.entry_point.name].append(each)
    return dict(found)
