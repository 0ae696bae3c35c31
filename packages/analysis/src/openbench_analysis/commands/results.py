"""`bench results`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt

command = typer.Typer(help="Keep the results of runs as small files, for leaderboards.")


@command.command("add")
def add(
    logs: Annotated[
        list[str], typer.Argument(metavar="[LABEL=]LOGS...", help="Logs, directories, addresses or patterns.")
    ],
    *,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of the results.")] = Path("results"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace results of other runs.")] = False,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> int:
    """Write the result of each log to results/MODEL/BENCHMARK@VERSION.json.

    A log whose result is there changes nothing.

    Another run of the same model, benchmark, version and arguments is refused, unless --replace is given.

    LABEL=LOGS adds the runs under another name than the model's. The exit code is 1 if a log was not added.
    """
    from openbench.errors import FAILED, SUCCESS
    from openbench_analysis.results.files import add_logs
    from openbench_dryrun.prices import read_prices

    added, problems = add_logs(logs, to, read_prices(Path.cwd()), replace=replace)
    for problem in problems:
        typer.echo(f"bench: {problem}", err=True)
    if as_json:
        done = [{"path": str(each.path), "outcome": each.outcome} for each in added]
        opt.echo_json({"results": done, "problems": problems})
    else:
        for each in added:
            typer.echo(f"{each.outcome} {each.path}")
    return FAILED if problems else SUCCESS


@command.command("schema")
def schema(*, debug: opt.Debug = False) -> None:  # noqa: ARG001 - as above
    """Write the JSON Schema of results, which describes each key."""
    from openbench_analysis.results.schema import Result

    opt.echo_json(Result.model_json_schema())
