"""`bench doctor`."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from itertools import groupby

import click

from openbench.errors import FAILED, SUCCESS
from openbench.problems import Problem


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(as_json: bool) -> int:
    """Find what is wrong with the installed plugins, with causes and ways out.

    Exits with 1 if anything is wrong.
    """
    from openbench.cli.main import COMMANDS
    from openbench.doctor import CORE, diagnose
    from openbench.installed import every_plugin

    problems = diagnose(COMMANDS)
    if as_json:
        told = {"core": version(CORE), "plugins": every_plugin(), "problems": [asdict(each) for each in problems]}
        click.echo(json.dumps(told, indent=2))
    else:
        _write(problems)
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}" if problems else "Nothing is wrong"
        click.echo(f"{count}: {CORE} {version(CORE)} with {len(every_plugin())} plugins.")
    return FAILED if problems else SUCCESS


def _write(problems: Sequence[Problem]) -> None:
    for distribution, group in groupby(problems, key=lambda problem: problem.distribution):
        click.secho(distribution, bold=True)
        for problem in group:
            click.echo(f"  {problem.entry_point}: {problem.message}")
            click.echo(f"    {problem.remedy}.")
        click.echo()
