"""`bench doctor`."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.table import wrapped
from openbench.errors import FAILED, SUCCESS
from openbench.registry.discovery import Problem
from openbench.registry.names import counted

if TYPE_CHECKING:
    from openbench.registry.benchmark import Benchmark


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Benchmarks whose tasks are imported as well.")
    ] = None,
    deep: Annotated[
        bool, typer.Option("--deep", help="Import the tasks of all benchmarks, each in a process of its own.")
    ] = False,
    as_json: opt.Json = False,
) -> int:
    """Diagnose the installed plugins, with causes and remedies.

    Exits with 1 if there is a problem.
    """
    from openbench.cli.eval import command as eval_command
    from openbench.cli.executors import load_executor, reserved_names
    from openbench.cli.plugins import DRY_RUN, SUBCOMMANDS, load_dry_run, load_plugin_command
    from openbench.registry.discovery import COMMANDS, ENGINES, EXECUTORS, LOADERS, STYLES, by_name, every_plugin
    from openbench.registry.doctor import Seams, diagnose, import_tasks
    from openbench.registry.local import load_loader
    from openbench.registry.plugin_loader import load_only
    from openbench.registry.versions import CORE
    from openbench.run.engine import AUTO, INSPECT, load_engine

    seams: Seams = {
        COMMANDS: (SUBCOMMANDS.keys(), lambda name: load_dry_run() if name == DRY_RUN else load_plugin_command(name)),
        EXECUTORS: (reserved_names(eval_command), load_executor),
        ENGINES: ({AUTO, INSPECT}, load_engine),
        LOADERS: ({"py"}, load_loader),
        STYLES: (set(), lambda name: load_only(f"--style {name}", by_name(STYLES)[name], lambda it: it, "a Style")),
    }
    problems, benchmarks = diagnose(seams), _chosen(names or [], deep=deep)
    for number, problem in enumerate(import_tasks(benchmarks), start=1):
        problems += [problem] if problem else []
        if sys.stderr.isatty():
            typer.echo(
                f"\r{number}/{counted(len(benchmarks), 'task')} imported", err=True, nl=number == len(benchmarks)
            )
    problems.sort(key=lambda problem: (problem.distribution, problem.entry_point))
    plugins = {plugin.name: plugin.version for plugin in every_plugin()}
    if as_json:
        opt.echo_json({"core": version(CORE), "plugins": plugins, "problems": [asdict(each) for each in problems]})
    else:
        _write(problems)
        count = counted(len(problems), "problem") if problems else "Nothing is wrong"
        tasks = f"{counted(len(benchmarks), 'task')} imported" if benchmarks else "no task was imported, as --deep does"
        typer.echo(f"{count}: {CORE} {version(CORE)} with {counted(len(plugins), 'plugin')}; {tasks}.")
    return FAILED if problems else SUCCESS


def _chosen(names: Sequence[str], *, deep: bool) -> "list[Benchmark]":
    from openbench.registry.benchmark import find_benchmark
    from openbench.registry.catalog import Catalog

    if not (names or deep):
        return []
    catalog = Catalog.installed()
    found = [key for key, each in catalog.resolutions.items() if each.winner and not catalog.group(key)]
    return [find_benchmark(catalog, name) for name in (names or found)]


def _write(problems: Sequence[Problem]) -> None:
    for distribution, group in groupby(problems, key=lambda problem: problem.distribution):
        typer.secho(distribution, bold=True, color=sys.stdout.isatty())
        for problem in group:
            for text, indent in ((f"{problem.entry_point}: {problem.message}", 2), (f"{problem.remedy}.", 4)):
                typer.echo("\n".join(wrapped(text, indent)))
        typer.echo()
