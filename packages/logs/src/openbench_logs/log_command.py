"""`bench log`."""

import textwrap
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.layout import terminal_width
from openbench.registry.names import printable

_LABEL = 13
_MOST = 2_000  # characters of a text; --json has the full text


command = typer.Typer(help="Show a log's provenance and samples, and prune runs.")


@command.command("show")
def show(log: opt.LogArgument, *, as_json: opt.Json = False, debug: opt.Debug = False) -> None:  # noqa: ARG001 - `main` reads it
    """Show a log's scores and provenance: benchmark, rows, prompts, model, settings and versions.

    Missing information is listed, for example if another program wrote the log.
    """
    from openbench.run.logs import read_log
    from openbench_logs.provenance_report import as_data, as_lines, missing_parts

    read = read_log(log, header_only=True)
    if as_json:
        opt.echo_json(as_data(read))
        return
    for label, text in as_lines(read):
        for line in _lines(label, text) if text else ():
            typer.echo(line)
    if missing := missing_parts(read):
        writer = "" if as_data(read)["by_openbench"] else "The log was not written by bench eval. "
        for line in textwrap.wrap(f"{writer}Missing: {', '.join(missing)}.", terminal_width()):
            typer.echo(line)


@command.command("samples")
def samples(
    log: Annotated[str, typer.Argument(metavar="LOG", help="Path or address of the log.")],
    *,
    wrong: Annotated[
        bool, typer.Option("--wrong", help="Only samples without the best score, or with an error.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of samples.")] = None,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Show the samples of a log: questions, answers, targets and scores."""
    from openbench.errors import LogError
    from openbench.run.logs import read_log
    from openbench_logs.samples import samples_of

    read = read_log(log)
    if not read.samples:
        raise LogError(f"{log} has no samples.")
    found = list(islice(samples_of(read, wrong=wrong), limit))
    if as_json:
        opt.echo_json(found)
        return
    for sample in found:
        for label, text in sample.items():
            lines = [] if text is None else str(text)[:_MOST].splitlines()
            for number, line in enumerate(filter(str.strip, lines)):
                typer.echo("\n".join(_lines("" if number else label, line)))
        typer.echo()
    typer.echo(f"{len(found)} of {len(read.samples)} samples")


@command.command("prune")
def prune(
    folders: Annotated[
        list[str],
        typer.Argument(metavar="DIR...", callback=opt.parse_existing, help="Log directories, or runs in their runs/."),
    ],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    debug: opt.Debug = False,  # noqa: ARG001 - as above
) -> None:
    """Remove the journals of runs whose logs are complete.

    Each log is checked first, and a run is kept if a log is missing or incomplete. Logs are not removed. A pruned run
    cannot be resumed with more samples or epochs.
    """
    from openbench.errors import UsageError
    from openbench.run.paths import is_remote
    from openbench.run.run_directory import run_path
    from openbench_logs.prune import prune as prune_runs

    for folder in folders:
        if is_remote(folder):
            here = run_path(folder, "").parent
            raise UsageError(f"{folder}: the runs of remote logs are recorded on this machine. Prune {here}.")
        if not Path(folder).is_dir():
            raise UsageError(f"{folder} is not a directory.")
        nothing = True
        for run in prune_runs(Path(folder), really=not dry_run):
            nothing = False
            done = f"kept: {run.reason}" if run.reason else "would be removed" if dry_run else "removed"
            typer.echo(f"{run.path} ({run.size / 1e6:.1f} MB): {done}")
        if nothing:
            typer.echo(f"{folder}: nothing to prune")


def _lines(label: str, text: str) -> list[str]:
    """Return a text after its label, wrapped to the terminal's width; names and addresses are not split."""
    return textwrap.wrap(
        printable(text),
        terminal_width(),
        initial_indent=label.ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
    )
