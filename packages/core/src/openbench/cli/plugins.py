"""Subcommands and executors: what our own packages bring, and what is loaded when one is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from openbench.errors import UsageError
from openbench.registry.discovery import COMMANDS, EXECUTORS, STYLES, Registered, by_name, perhaps_left_out
from openbench.registry.plugin_loader import load_only

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from openbench.run.executor import Executor

# Of our own packages, what they do is known before they are there.
COMMANDS_OF_OURS: Mapping[str, tuple[str, str]] = {
    "new": ("openbench-testing", "Write a new benchmark package to start from."),
    "check": ("openbench-testing", "Check that benchmarks keep the contract."),
    "fork": ("openbench-testing", "Write a package that overrides a benchmark."),
    "log": ("openbench-logs", "Show what a log says of where it came from."),
    "reproduce": ("openbench-logs", "Run a log's run again, and compare the samples."),
    "providers": ("openbench-providers", "List the model providers, and which keys are set."),
    "data.export": ("openbench-bundles", "Write stored datasets to a file or a folder."),
    "data.import": ("openbench-bundles", "Store datasets from a file or folder that bench data export wrote."),
}
DRY_RUN = "eval.dry-run"
_DRY_RUN_PACKAGE = "openbench-dryrun"
EXECUTORS_OF_OURS: Mapping[str, str] = {"isolated": "openbench-isolated", "ray": "openbench-ray"}


def plugin_commands(group: str | None = None) -> Mapping[str, Sequence[Registered]]:
    """Return the distributions that register subcommands, by name.

    Args:
        group: A group of subcommands such as `data`, in which `data.export` is registered as `export`; by default, the
            subcommands of `bench` itself.
    """
    prefix = f"{group}." if group else ""
    names = {name: name.removeprefix(prefix) for name in by_name(COMMANDS) if name.startswith(prefix)}
    return {short: by_name(COMMANDS)[name] for name, short in names.items() if "." not in short}


class ExtensibleGroup(click.Group):
    """A group of core to which plugins add subcommands, registered as `GROUP.NAME`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of core's subcommands, then those of plugins."""
        own = super().list_commands(ctx)
        return [*own, *sorted(plugin_commands(self.name).keys() - {*own})]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand; core's own precedes a plugin's of the same name.

        Raises:
            UsageError: A plugin's subcommand cannot be loaded, or its package is not installed.
        """
        return super().get_command(ctx, cmd_name) or load_command(f"{self.name}.{cmd_name}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of subcommands without importing those of plugins."""
        own, plugins = super().list_commands(ctx), plugin_commands(self.name)
        rows = [(name, self.commands[name].get_short_help_str(80)) for name in own]
        for name in self.list_commands(ctx)[len(own) :]:
            distribution = plugins[name][0].distribution
            known, help_ = COMMANDS_OF_OURS.get(f"{self.name}.{name}", ("", ""))
            rows.append((name, help_ if known == distribution else f"From {distribution}."))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def load_command(name: str) -> click.Command | None:
    """Load the subcommand of a name (`GROUP.NAME` in a group); None if no plugin registers it.

    Raises:
        UsageError: Several distributions bring it, it cannot be loaded or is no command, or a package of ours that is
            not installed brings it.
    """
    what, found = f"bench {name.replace('.', ' ')}", by_name(COMMANDS).get(name)
    if found:
        return load_only(what, found, lambda it: it if isinstance(it, click.Command) else None, "a click Command")
    if name in COMMANDS_OF_OURS:
        raise UsageError(_comes_with(what, COMMANDS_OF_OURS[name][0]))
    return None


def load_dry_run() -> Callable[..., int]:
    """Load what `bench eval --dry-run` calls; see `openbench_dryrun.command.dry_run_command` for its signature.

    Raises:
        UsageError: Its package is not installed, or it cannot be loaded.
    """
    found = by_name(COMMANDS).get(DRY_RUN)
    if not found:
        raise UsageError(_comes_with("bench eval --dry-run", _DRY_RUN_PACKAGE))
    return load_only("bench eval --dry-run", found, _function, "a function")


def _function(loaded: object) -> Callable[..., int] | None:
    return loaded if callable(loaded) else None


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
