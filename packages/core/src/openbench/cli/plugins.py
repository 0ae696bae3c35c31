"""Subcommands and executors: what our own packages bring, and what is loaded when one is used."""

from collections.abc import Mapping, Sequence

import click

from openbench.errors import UsageError
from openbench.installed import COMMANDS, EXECUTORS, Registered
from openbench.plugins import by_name, load_only, unfit
from openbench.run.executor import Executor

# Of our own packages, what they do is known before they are there.
COMMANDS_OF_OURS: Mapping[str, tuple[str, str]] = {
    "new": ("openbench-testing", "Write a new benchmark package to start from."),
    "check": ("openbench-testing", "Check that benchmarks keep the contract."),
    "compare": ("openbench-analysis", "Tell whether two runs differ."),
    "report": ("openbench-analysis", "Write a report of runs."),
    "gate": ("openbench-analysis", "Decide whether a run passes."),
}
EXECUTORS_OF_OURS: Mapping[str, str] = {"isolated": "openbench-isolated", "ray": "openbench-ray"}


def plugin_commands() -> Mapping[str, Sequence[Registered]]:
    """Return who brings a subcommand, by its name."""
    return by_name(COMMANDS)


def load_command(name: str) -> click.Command | None:
    """Load the subcommand of a name; None if no plugin brings it.

    Raises:
        UsageError: Several distributions bring it, it cannot be loaded or is no command, or a package of ours that is
            not installed brings it.
    """
    what, found = f"bench {name}", by_name(COMMANDS).get(name)
    if not found:
        if name in COMMANDS_OF_OURS:
            distribution, _ = COMMANDS_OF_OURS[name]
            raise UsageError(f"{what} comes with {distribution}: pip install {distribution}")
        return None
    loaded = load_only(what, found)
    if not isinstance(loaded, click.Command):
        raise unfit(what, "a click Command", found, loaded)
    return loaded


def plugin_executors() -> Sequence[str]:
    """Return the names of the executors that plugins bring."""
    return sorted(by_name(EXECUTORS))


def load_executor(name: str) -> type[Executor]:
    """Load the executor of a name.

    Raises:
        UsageError: There is none, several distributions bring it, it cannot be loaded, or it is no executor.
    """
    what, found = f"--executor {name}", by_name(EXECUTORS).get(name)
    if not found:
        if name in EXECUTORS_OF_OURS:
            distribution = EXECUTORS_OF_OURS[name]
            raise UsageError(f"{what} comes with {distribution}: pip install {distribution}")
        raise UsageError(f"{what}: there is no such executor. Installed: {', '.join(['local', *plugin_executors()])}.")
    loaded = load_only(what, found)
    if not (isinstance(loaded, type) and issubclass(loaded, Executor)):
        raise unfit(what, "a subclass of Executor", found, loaded)
    return loaded
