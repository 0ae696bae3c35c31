"""Lets executors take part in the options of `bench eval`.

An executor NAME that a distribution brings adds the flag `--NAME`, short for `--executor NAME`, which costs nothing;
its own options are there once it is chosen, and only then is it loaded.
"""

from __future__ import annotations

import os
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from openbench.cli.options import SectionCommand, SectionOption
from openbench.cli.plugins import EXECUTORS_OF_OURS, load_executor, plugin_executors
from openbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openbench.catalog import Catalog
    from openbench.run.executor import Executor

LOCAL = "local"
_CHOSEN = "openbench.executor"
_SECTION = "Processes"


class ExecutorCommand(SectionCommand):
    """A command whose options are its own, and those of the executor that the command line chooses."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find out which executor is chosen before the options are parsed, since it adds some."""
        name = _chosen(args)
        if name != LOCAL and not ctx.resilient_parsing:
            taken = {option for param in super().get_params(ctx) for option in param.opts}
            ctx.meta[_CHOSEN] = _executor(name, taken)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, those of executors among them."""
        own = super().get_params(ctx)
        names = {name for param in own for name in param.opts}
        flags = [_flag(name) for name in plugin_executors() if f"--{name}" not in names]
        executor: type[Executor] | None = ctx.meta.get(_CHOSEN)
        added = executor.options if executor else ()
        return [*own[:-1], *flags, *added, own[-1]]  # the last is --help


def make_executor(given: dict[str, Any], catalog: Catalog) -> Executor:
    """Make the executor that is chosen, of the values that a command was called with."""
    executor: type[Executor] | None = click.get_current_context().meta.get(_CHOSEN)
    if executor is None:
        from openbench.run.local import LocalExecutor

        return LocalExecutor(catalog, display=given["display"])
    own = {option.name: given[option.name] for option in executor.options if option.name}
    return executor(catalog, display=given["display"], **own)


def _flag(name: str) -> click.Option:
    return SectionOption(
        [f"--{name}"],
        is_flag=True,
        expose_value=False,
        section=_SECTION,
        help=f"Short for --executor {name}.",
    )


def _chosen(args: Sequence[str]) -> str:
    """Return the executor that arguments choose; the last one that is said counts, as with any option."""
    flags = {f"--{name}": name for name in {*plugin_executors(), *EXECUTORS_OF_OURS}}
    chosen = os.environ.get("BENCH_EXECUTOR") or LOCAL
    for arg, following in zip_longest(args, args[1:], fillvalue=LOCAL):
        if arg == "--":
            break
        if arg == "--executor":
            chosen = following
        elif arg.startswith("--executor="):
            chosen = arg.removeprefix("--executor=")
        else:
            chosen = flags.get(arg, chosen)
    return chosen


def _executor(name: str, taken: set[str]) -> type[Executor]:
    """Load an executor whose options are none of those that are taken."""
    executor = load_executor(name)
    for option in (option for param in executor.options for option in param.opts):
        if option in taken:
            raise UsageError(f"--executor {name}: its option {option} is one of bench eval. Tell its authors.")
    return executor
