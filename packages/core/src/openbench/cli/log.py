"""`bench log`."""

import json
import textwrap

import click

from openbench.cli.table import terminal_width
from openbench.names import printable

_LABEL = 13


@click.group("log")
def command() -> None:
    """Look into logs."""


@command.command("show")
@click.argument("log", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Write it as JSON to stdout, and nothing else.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def show(log: str, *, as_json: bool, debug: bool) -> None:  # noqa: ARG001 - `main` reads it off the command line
    """Show what a log says of where it came from: benchmark, rows, prompts, model, settings and versions.

    Of a log that another program wrote, what is missing is named.
    """
    from openbench.run.logs import read_log
    from openbench.run.shown_log import as_data, as_lines, missing_parts

    read = read_log(log, header_only=True)
    if as_json:
        click.echo(json.dumps(as_data(read), indent=2, default=str))
        return
    for label, text in as_lines(read):
        for line in _lines(label, text) if text else ():
            click.echo(line)
    if missing := missing_parts(read):
        writer = "It" if as_data(read)["by_openbench"] else "bench eval did not write it: it"
        for line in textwrap.wrap(f"{writer} does not say {'; '.join(missing)}.", terminal_width()):
            click.echo(line)


def _lines(label: str, text: str) -> list[str]:
    """Return a text behind its label, in lines that fit the terminal; names and addresses stay whole."""
    return textwrap.wrap(
        printable(text),
        terminal_width(),
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
    )
