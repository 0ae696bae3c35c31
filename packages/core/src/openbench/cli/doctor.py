"""`bench doctor`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import groupby

import click

from openbench.cli.table import wrapped
from openbench.errors import FAILED, SUCCESS
from openbench.problems import Problem


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(as_json: bool) -> int:
    """Find what is wrong with the installed plugins, with causes and ways out.

    Exits with 1 if anything is wrong.
    """
    from openbench.cli.eval import command as eval_command
    from openbench.cli.executors import reserved_names
    from openbench.cli.main import SUBCOMMANDS
    from openbench.cli.plugins import load_command, load_executor, load_style
    from openbench.doctor import CORE, Seams, diagnose
    from openbench.installed import COMMANDS, ENGINES, EXECUTORS, LOADERS, STYLES, every_plugin
    from openbench.local import load_loader
    from openbench.run.engines import OURS as ENGINES_OF_OURS

    seams: Seams = {
        COMMANDS: (SUBCOMMANDS.keys(), load_command),
        EXECUTORS: (reserved_names(eval_command), load_executor),
        ENGINES: (ENGINES_OF_OURS, _load_engine),
        LOADERS: ({"py"}, load_loader),
        STYLES: (set(), load_style),
    }
    problems = diagnose(seams)
    plugins = {plugin.name: plugin.version for plugin in every_plugin()}
    if as_json:
        told = {"core": version(CORE), "plugins": plugins, "problems": [asdict(each) for each in problems]}
        click.echo(json.dumps(told, indent=2))
    else:
        _write(problems)
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}" if problems else "Nothing is wrong"
        click.echo(f"{count}: {CORE} {version(CORE)} with {len(plugins)} plugins.")
    return FAILED if problems else SUCCESS


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
