"""Lets executors take part in `bench eval`: in its options, and in its promises.

An executor NAME that a distribution brings adds the flag `--NAME`, short for `--executor NAME`, which costs nothing;
its own options are there once it is chosen, and only then is it loaded.
"""

from __future__ import annotations

import os
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from openbench.cli.options import SectionCommand, SectionOption
from openbench.cli.plugins import EXECUTORS_OF_OURS, load_executor, plugin_executors
from openbench.errors import OpenbenchError, UsageError
from openbench.redaction import REDACTED
from openbench.registry.names import counted
from openbench.registry.plugin_loader import described_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openbench.registry.catalog import Catalog
    from openbench.run.executor import Executor, Result
    from openbench.run.journal import RunDirectory
    from openbench.run.plan import Plan

LOCAL = "local"
_CHOSEN = "openbench.executor"
_NAME = "openbench.executor.name"
_SECTION = "Processes"
_DISPLAY = "line"


class ExecutorCommand(SectionCommand):
    """A command whose options are its own, and those of the executor that the command line chooses."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find out which executor is chosen before the options are parsed, since it adds some."""
        own = super().get_params(ctx)
        name = _chosen(args, _flags([*EXECUTORS_OF_OURS, *plugin_executors()], own))
        if name != LOCAL and not ctx.resilient_parsing:
            ctx.meta[_CHOSEN] = _checked(name, load_executor(name), own)
            ctx.meta[_NAME] = name
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if name != LOCAL or not (brought := sorted(plugin_executors())):
                raise
            hint = f"An executor may have it, once it is chosen: --executor {' or '.join(brought)}."
            raise click.UsageError(f"{error.format_message()} {hint}", ctx=error.ctx) from error

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the options, those of executors among them."""
        own = super().get_params(ctx)
        executor: type[Executor] | None = ctx.meta.get(_CHOSEN)
        flags = [_flag(name) for name in _flags(plugin_executors(), own).values()]
        return [*own[:-1], *flags, *(executor.options if executor else ()), own[-1]]  # the last is --help


def reserved_names(command: click.Command) -> set[str]:
    """Return the names that no executor can have, since a command has options of these names."""
    return {LOCAL, *(name.removeprefix("--") for name in _taken(command.params))}


def make_executor(given: dict[str, Any], catalog: Catalog) -> Executor:
    """Make the executor that is chosen, of the values that a command was called with."""
    executor: type[Executor] | None = click.get_current_context().meta.get(_CHOSEN)
    if executor is None:
        from openbench.run.in_process import InProcess

        return InProcess(catalog, display=given["display"])
    own = {option.name: given[option.name] for option in executor.options if option.name and option.expose_value}
    try:
        return executor(catalog, display=given["display"], **own)
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise _fault(executor, error) from error


def executor_arguments(given: Mapping[str, Any]) -> list[str]:
    """Return the executor that is chosen and its options, as `executor_of` takes them; nothing for the local one."""
    executor: type[Executor] | None = click.get_current_context().meta.get(_CHOSEN)
    if executor is None:
        return []
    options = [option for option in executor.options if option.expose_value and option.name]
    own = [argument for option in options for argument in _typed(option, given[option.name])]
    return [click.get_current_context().meta[_NAME], *own]


def executor_again(given: Mapping[str, Any], directory: RunDirectory, catalog: Catalog) -> tuple[Executor, list[str]]:
    """Make the executor of a run that is continued: the one that is chosen, else that of the run.

    Args:
        given: The values that a command was called with.
        directory: The run, whose plans have what `executor_arguments` returned when it began.
        catalog: What is installed here.

    Returns:
        The executor, and what `executor_arguments` says of it.

    Raises:
        UsageError: It is not installed, one of its options was not kept, as a secret, or the run names what the user
            has not.
    """
    from openbench.run import trust

    own, plans = executor_arguments(given), directory.plans()
    for plan in plans:
        trust.check(trust.named_by(plan), str(directory.path), trust=given["trust"])
    typed = click.get_current_context().get_parameter_source("executor")
    if not own and typed is click.core.ParameterSource.COMMANDLINE:
        own = [LOCAL]
    before = list(plans[-1].executor)
    name, *arguments = (before if own in ([], before[:1]) else own) or [LOCAL]
    if any(REDACTED in argument for argument in arguments):
        raise UsageError(f"--executor {name}: one of its options held a secret, which was not kept. Give them again.")
    executor = executor_of(name, catalog, arguments, display=given["display"])
    return executor, [] if name == LOCAL else [name, *arguments]


def executor_of(name: str, catalog: Catalog, arguments: Sequence[str], *, display: str = _DISPLAY) -> Executor:
    """Make an executor as `bench eval --executor NAME ARGUMENTS` does, for another command.

    Raises:
        UsageError: There is none of this name, or it is not installed.
    """
    kind = None if name == LOCAL else load_executor(name)
    parser = click.Command(name, params=list(kind.options) if kind else [])
    with parser.make_context(name, list(arguments)) as ctx:
        if kind:
            ctx.meta[_CHOSEN] = kind
        return make_executor({**ctx.params, "display": display}, catalog)


def execute(executor: Executor, plan: Plan) -> Sequence[Result]:
    """Run a plan, and hold an executor to what it promises.

    Raises:
        OpenbenchError: A plugin's executor fails in a way of its own, or does not give a result for each job.
    """
    from openbench.run.inspect_eval import stdout_to_stderr
    from openbench.run.trust import remember

    remember(plan)
    if type(executor).__module__.startswith("openbench.run."):
        return executor.execute(plan)
    try:
        with stdout_to_stderr():
            results = executor.execute(plan)
        given = len(results)
    except OpenbenchError:
        raise
    except (Exception, SystemExit) as error:
        raise _fault(type(executor), error) from error
    if given != len(plan.jobs):
        raise OpenbenchError(
            f"{_named(type(executor))} gives {counted(given, 'result')} for {counted(len(plan.jobs), 'job')}."
        )
    return results


def _fault(executor: type[Executor], error: BaseException) -> OpenbenchError:
    return OpenbenchError(f"{_named(executor)} failed: {described_error(error)}. Tell its authors.")


def _named(executor: type[Executor]) -> str:
    return f"the executor {executor.__module__}:{executor.__qualname__}"


def _typed(option: click.Option, value: Any) -> list[str]:
    """Return an option and its value as a command line has them, whatever directory it is typed in."""
    if option.is_flag:
        names = option.opts if value else option.secondary_opts
        return names[:1]
    values = value if option.multiple else [value]
    return [part for each in values if each is not None for part in (option.opts[0], *_texts(option, each))]


def _texts(option: click.Option, value: Any) -> list[str]:
    parts = value if option.nargs != 1 else [value]
    return [str(part.absolute() if isinstance(part, Path) else part) for part in parts]


def _taken(params: Sequence[click.Parameter]) -> set[str]:
    return {name for param in params for name in (*param.opts, *param.secondary_opts)}


def _flags(names: Sequence[str] | Mapping[str, object], own: Sequence[click.Parameter]) -> dict[str, str]:
    """Return the executors that have a flag, by the flag: a command's own options go before it."""
    taken = _taken(own)
    return {f"--{name}": name for name in dict.fromkeys(names) if f"--{name}" not in taken}


def _flag(name: str) -> click.Option:
    return SectionOption(
        [f"--{name}"],
        is_flag=True,
        expose_value=False,
        section=_SECTION,
        help=f"Short for --executor {name}; with --help, it shows the options that it adds.",
    )


def _chosen(args: Sequence[str], flags: Mapping[str, str]) -> str:
    """Return the executor that arguments choose; the last one that is said counts, as with any option."""
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


def _checked(name: str, executor: type[Executor], own: Sequence[click.Parameter]) -> type[Executor]:
    """Return an executor whose options stand in no one's way.

    Raises:
        UsageError: They do, or are no options.
    """
    options: object = executor.options
    if not isinstance(options, list | tuple) or not all(isinstance(option, click.Option) for option in options):
        raise UsageError(f"--executor {name}: its options are no click Options. Tell its authors.")
    names = {param.name for param in own}
    for option in executor.options:
        clash = _taken([option]) & _taken(own) or {option.name} & names
        if clash:
            raise UsageError(f"--executor {name}: its option {clash.pop()} is one of bench eval. Tell its authors.")
    return executor
