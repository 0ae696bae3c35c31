"""`bench leaderboard`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench_analysis.commands import shared


def command(
    places: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[[LABEL=]PLACE...]",
            help="Results and logs: files, directories, addresses or patterns; results/ by default.",
        ),
    ] = None,
    *,
    config: Annotated[
        Path,
        typer.Option(
            metavar="FILE|NAME",
            help="TOML file with the categories, their benchmarks and weights, or the name of an installed one.",
        ),
    ] = Path("leaderboard.toml"),
    csv: Annotated[bool, typer.Option("--csv", help="Write one table of plain numbers to stdout.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of HTML as well.")] = None,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> None:
    """Rank models by weighted categories of benchmarks, from results in files and from logs.

    A model without a result of one of the benchmarks is incomplete: it has no average, and weights are never spread
    over the others.
    """
    from openbench.errors import UsageError
    from openbench_analysis.leaderboard import rendering
    from openbench_analysis.leaderboard.board import make_board
    from openbench_analysis.leaderboard.config import read_leaderboard
    from openbench_analysis.rendering.files import write_text
    from openbench_analysis.results.places import read_entries
    from openbench_dryrun.prices import read_prices

    if [csv, markdown, as_json].count(True) > 1:
        raise UsageError("--csv, --markdown and --json exclude each other: each writes to stdout.")
    settings = read_leaderboard(config)
    entries, problems = read_entries(places or ["results"], read_prices(Path.cwd()), level=settings.level)
    shared.warn(problems)
    board = make_board(settings, entries)
    if html:
        write_text(html, rendering.as_page(board))
    if as_json:
        opt.echo_json(rendering.as_data(board, problems))
    elif csv:
        typer.echo(rendering.as_csv(board), nl=False)
    else:
        typer.echo(rendering.as_markdown(board) if markdown else "\n".join(rendering.as_lines(board)))
