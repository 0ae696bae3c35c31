"""`bench log`."""

import json
import textwrap
from itertools import islice
from pathlib import Path

import click

from openbench.cli import options as opt
from openbench.cli.table import terminal_width
from openbench.registry.names import printable

_LABEL = 13
_MOST = 2_000  # characters of a text; --json has all


@click.group("log")
def command() -> None:
    """Look into logs, and remove what they no longer need."""


@command.command("show")
@click.argument("log", type=click.Path(), callback=opt.parse_existing)
@click.option("--json", "as_json", is_flag=True, help="Write it as JSON to stdout, and nothing else.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def show(log: str, *, as_json: bool, debug: bool) -> None:  # noqa: ARG001 - `main` reads it off the command line
    """Show a log's scores, and where it came from: benchmark, rows, prompts, model, settings and versions.

    Of a log that another program wrote, what is missing is named.
    """
    from openbench.cli.report import without_nan
    from openbench.run.logs import read_log
    from openbench_logs.provenance_report import as_data, as_lines, missing_parts

    read = read_log(log, header_only=True)
    if as_json:
        click.echo(json.dumps(without_nan(as_data(read)), indent=2, default=str))
        return
    for label, text in as_lines(read):
        for line in _lines(label, text) if text else ():
            click.echo(line)
    if missing := missing_parts(read):
        writer = "It" if as_data(read)["by_openbench"] else "bench eval did not write it: it"
        for line in textwrap.wrap(f"{writer} does not say {'; '.join(missing)}.", terminal_width()):
            click.echo(line)


@command.command("samples")
@click.argument("log", type=click.Path())
@click.option("--wrong", is_flag=True, help="Only those without the best score, or with an error.")
@click.option("--limit", type=click.IntRange(1), help="At most this many.")
@click.option("--json", "as_json", is_flag=True, help="Write them as JSON to stdout, and nothing else.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def samples(log: str, *, wrong: bool, limit: int | None, as_json: bool, debug: bool) -> None:  # noqa: ARG001 - as above
    """Show the samples of a log: questions, answers, targets and scores."""
    from openbench.errors import LogError
    from openbench.run.logs import read_log
    from openbench_logs.samples import samples_of

    read = read_log(log)
    if not read.samples:
        raise LogError(f"{log} holds no samples.")
    found = list(islice(samples_of(read, wrong=wrong), limit))
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for sample in found:
        for label, text in sample.items():
            lines = [] if text is None else str(text)[:_MOST].splitlines()
            for number, line in enumerate(filter(str.strip, lines)):
                click.echo("\n".join(_lines("" if number else label, line)))
        click.echo()
    click.echo(f"{len(found)} of {len(read.samples)} samples")


@command.command("prune")
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=click.Path(), callback=opt.parse_existing)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def prune(folders: tuple[str, ...], *, dry_run: bool, debug: bool) -> None:  # noqa: ARG001 - as above
    """Remove the journals of runs whose logs hold everything.

    DIR is a log directory, or a run in its runs/. Each log is read first, and a run is kept if a log is not there, or
    lacks a sample. Logs stay; a run without its journal cannot be resumed with more samples or epochs.
    """
    from openbench.errors import UsageError
    from openbench.run.journal.directory import run_path
    from openbench.run.locations import is_remote
    from openbench_logs.prune import prune as prune_runs

    for folder in folders:
        if is_remote(folder):
            here = run_path(folder, "").parent
            raise UsageError(f"{folder}: the runs of logs at addresses are recorded on this machine. Prune {here}.")
        if not Path(folder).is_dir():
            raise UsageError(f"{folder} is no directory.")
        nothing = True
        for run in prune_runs(Path(folder), really=not dry_run):
            nothing = False
            done = f"kept, since {run.reason}" if run.reason else "would be removed" if dry_run else "removed"
            click.echo(f"{run.path} ({run.size / 1e6:.1f} MB): {done}")
        if nothing:
            click.echo(f"{folder}: nothing to prune")


def _lines(label: str, text: str) -> list[str]:
    """Return a text behind its label, in lines that fit the terminal; names and addresses stay whole."""
    return textwrap.wrap(
        printable(text),
        terminal_width(),
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
    )
