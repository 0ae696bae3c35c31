"""Subcommands and executors: what our own packages bring, and what is loaded when one is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from openbench.errors import UsageError
from openbench.registry.installed import COMMANDS, EXECUTORS, STYLES, Registered, perhaps_left_out
from openbench.registry.plugins import by_name, load_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openbench.run.executor import Executor

# Of our own packages, what they do is known before they are there.
COMMANDS_OF_OURS: Mapping[str, tuple[str, str]] = {
    "new": ("openbench-testing", "Write a new benchmark package to start from."),
    "check": ("openbench-testing", "Check that benchmarks keep the contract."),
    "fork": ("openbench-testing", "Write a package that overrides a benchmark."),
    "log": ("openbench-logs", "Show what a log says of where it came from."),
    "reproduce": ("openbench-logs", "Run a log's run again, and compare the samples."),
    "providers": ("openbench-providers", "List the model providers, and which keys are set."),
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
    if found:
        return load_only(what, found, lambda it: it if isinstance(it, click.Command) else None, "a click Command")
    if name in COMMANDS_OF_OURS:
        raise UsageError(_comes_with(what, COMMANDS_OF_OURS[name][0]))
    return None


def plugin_executors() -> Mapping[str, Sequence[Registered]]:
    """Return who brings an executor, by its name."""
    return by_name(EXECUTORS)


def load_executor(name: str) -> type[Executor]:
    """Load the executor of a name.

    Raises:
        UsageError: There is none, several distributions bring it, it cannot be loaded, or it is no executor.
    """
    from openbench.run.executor import Executor

    what, found = f"--executor {name}", by_name(EXECUTORS).get(name)
    if found:

        def fits(it: object) -> type[Executor] | None:
            return it if isinstance(it, type) and issubclass(it, Executor) else None

        return load_only(what, found, fits, "a subclass of Executor")
    if name in EXECUTORS_OF_OURS:
        raise UsageError(_comes_with(what, EXECUTORS_OF_OURS[name]))
    known = ", ".join(["local", *sorted(plugin_executors())])
    raise UsageError(f"{what}: there is no such executor. Installed: {known}{perhaps_left_out()}.")


def load_style(name: str) -> object:
    """Load the style of a name, as far as it can be known here what one is: openbench-testing has the class.

    Raises:
        UsageError: Several distributions bring it, or it cannot be loaded.
    """
    return load_only(f"--style {name}", by_name(STYLES)[name], lambda it: it, "a Style")


def _comes_with(what: str, distribution: str) -> str:
    return f"{what} comes with {distribution}: pip install {distribution}{perhaps_left_out()}"
