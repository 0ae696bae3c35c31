"""`bench doctor`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import groupby
from typing import TYPE_CHECKING

import click

from openbench.cli.table import wrapped
from openbench.errors import FAILED, SUCCESS
from openbench.registry.discovery import Problem
from openbench.registry.names import counted

if TYPE_CHECKING:
    from openbench.registry.benchmark import Benchmark


@click.command("doctor")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--deep", is_flag=True, help="Import the tasks of all benchmarks, each in a process of its own.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(names: tuple[str, ...], deep: bool, as_json: bool) -> int:
    """Find what is wrong with the installed plugins, with causes and ways out.

    With the NAMEs of benchmarks, their tasks are imported as well. Exits with 1 if anything is wrong.
    """
    from openbench.cli.eval import command as eval_command
    from openbench.cli.executors import reserved_names
    from openbench.cli.main import SUBCOMMANDS
    from openbench.cli.plugins import DRY_RUN, load_command, load_dry_run, load_executor, load_style
    from openbench.registry.discovery import COMMANDS, ENGINES, EXECUTORS, LOADERS, STYLES, every_plugin
    from openbench.registry.doctor import CORE, Seams, diagnose, import_tasks
    from openbench.registry.local import load_loader
    from openbench.run.engines import OURS as ENGINES_OF_OURS

    seams: Seams = {
        COMMANDS: (SUBCOMMANDS.keys(), lambda name: load_dry_run() if name == DRY_RUN else load_command(name)),
        EXECUTORS: (reserved_names(eval_command), load_executor),
        ENGINES: (ENGINES_OF_OURS, _load_engine),
        LOADERS: ({"py"}, load_loader),
        STYLES: (set(), load_style),
    }
    problems, benchmarks = diagnose(seams), _chosen(names, deep=deep)
    for number, found in enumerate(import_tasks(benchmarks), start=1):
        problems += [found] if found else []
        if sys.stderr.isatty():
            click.echo(
                f"\r{number}/{counted(len(benchmarks), 'task')} imported", err=True, nl=number == len(benchmarks)
            )
    problems.sort(key=lambda problem: (problem.distribution, problem.entry_point))
    plugins = {plugin.name: plugin.version for plugin in every_plugin()}
    if as_json:
        told = {"core": version(CORE), "plugins": plugins, "problems": [asdict(each) for each in problems]}
        click.echo(json.dumps(told, indent=2))
    else:
        _write(problems)
        count = counted(len(problems), "problem") if problems else "Nothing is wrong"
        tasks = f"{counted(len(benchmarks), 'task')} imported" if benchmarks else "no task was imported, as --deep does"
        click.echo(f"{count}: {CORE} {version(CORE)} with {counted(len(plugins), 'plugin')}; {tasks}.")
    return FAILED if problems else SUCCESS


def _chosen(names: Sequence[str], *, deep: bool) -> "list[Benchmark]":
    from openbench.registry.benchmark import find_benchmark
    from openbench.registry.catalog import Catalog

    if not (names or deep):
        return []
    catalog = Catalog.installed()
    found = [key for key, each in catalog.resolutions.items() if each.winner and not catalog.group(key)]
    return [find_benchmark(catalog, name) for name in (names or found)]


def _load_engine(name: str) -> object:
    from openbench.run.engines.choose import load_engine

    return load_engine(name)


def _write(problems: Sequence[Problem]) -> None:
    for distribution, group in groupby(problems, key=lambda problem: problem.distribution):
        click.secho(distribution, bold=True, color=sys.stdout.isatty())
        for problem in group:
            click.echo(_wrapped(f"{problem.entry_point}: {problem.message}", 2))
            click.echo(_wrapped(f"{problem.remedy}.", 4))
        click.echo()


def _wrapped(text: str, indent: int) -> str:
    return "\n".join(wrapped(text, indent))
