"""`bench report`."""

from pathlib import Path
from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench_analysis.commands import shared


def command(
    places: shared.Places,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = Path(
        "report.html"
    ),
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the page.")] = "Benchmark report",
    baseline: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="System that warnings compare with; the first by default."),
    ] = None,
    suites: shared.Suites = None,
    samples: Annotated[
        int, typer.Option(metavar="N", min=0, help="Hold up to N samples of each benchmark, with their answers.")
    ] = 50,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Show scores by a key of the samples' metadata, too."),
    ] = None,
    cluster: shared.Cluster = None,
    match: shared.Match = "content",
    force: shared.Force = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> None:
    """Write a page that shows systems on benchmarks: one HTML file, which needs no network.

    It has leaderboards with intervals and ties, scores against cost and time, categories, all pairs, calibration,
    failures, and answers side by side.
    """
    from openbench.errors import UsageError
    from openbench.registry.names import counted
    from openbench_analysis.comparison import Method
    from openbench_analysis.report.page import render
    from openbench_analysis.study import study
    from openbench_analysis.suites import members_of
    from openbench_analysis.systems import read_systems
    from openbench_dryrun.prices import read_prices

    if output.is_dir() or not output.parent.is_dir():
        raise UsageError(f"--output {output}: expected a file in a directory that exists.")
    collection = read_systems(places, read_prices(Path.cwd()))
    shared.warn(collection.problems)
    found = study(
        collection.systems,
        baseline=baseline,
        suites=members_of(suites) if suites else None,
        pairwise=True,
        method=Method(match=match, cluster=cluster, force=force),
    )
    page = render(found, collection.problems, samples=samples, by=by or (), title=title)
    output.write_text(page, "utf-8")
    systems, benchmarks = counted(len(found.systems), "system"), counted(len(found.benchmarks), "benchmark")
    typer.echo(f"{output}: {systems} on {benchmarks}, {len(page.encode()) / 1e6:.1f} MB")
