"""`bench compare`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from openbench.cli import options as opt
from openbench_analysis.commands import shared

Adjust = Literal["holm", "bh", "none"]


def command(
    places: shared.Places,
    *,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="System that the others are compared with; the first by default."),
    ] = None,
    suites: shared.Suites = None,
    pairwise: Annotated[bool, typer.Option("--pairwise", help="Compare all pairs as well, and show ties.")] = False,
    flips: Annotated[
        int, typer.Option(metavar="N", min=0, help="Show up to N samples that are scored differently.")
    ] = 0,
    by: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="Compare by a key of the samples' metadata, too.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Difference that would matter: test whether the systems are equivalent.")
    ] = None,
    adjust: Annotated[Adjust, typer.Option(help="Adjustment of p-values for several comparisons.")] = "holm",
    level: Annotated[float, typer.Option(help="Confidence level of intervals.")] = 0.95,
    mid_p: Annotated[bool, typer.Option("--mid-p", help="Use the mid-p McNemar test for scores of 0 and 1.")] = False,
    cluster: shared.Cluster = None,
    match: shared.Match = "content",
    seed: Annotated[int, typer.Option(min=0, help="Seed of what is random.")] = 0,
    force: shared.Force = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page of HTML as well.")] = None,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> None:
    """Compare runs sample by sample: is one system better than another, by how much, and could this have shown it?

    Runs of one model are one system. LABEL=LOGS names the system of a place's logs, as in before=logs/old.
    """
    from openbench.errors import LogError
    from openbench_analysis.comparison import Method
    from openbench_analysis.rendering.files import write_text
    from openbench_analysis.rendering.study import as_data, as_lines, as_markdown, as_page
    from openbench_analysis.study import study
    from openbench_analysis.suites import members_of
    from openbench_analysis.systems import read_systems
    from openbench_dryrun.prices import read_prices

    _check_numbers(level, margin)
    collection = read_systems(places, read_prices(Path.cwd()))
    shared.warn(collection.problems)
    _check_several([system.label for system in collection.systems])
    found = study(
        collection.systems,
        baseline=baseline,
        suites=members_of(suites) if suites else None,
        pairwise=pairwise,
        adjustment=adjust,
        method=Method(
            level=level, match=match, cluster=cluster, mid_p=mid_p, margin=margin, by=by or (), seed=seed, force=force
        ),
    )
    if not found.comparisons:
        raise LogError("\n".join(found.problems))
    if html:
        write_text(html, as_page(found, flips))
    if as_json:
        opt.echo_json(as_data(found, flips))
    else:
        typer.echo(as_markdown(found, flips) if markdown else "\n".join(as_lines(found, flips)))


def _check_numbers(level: float, margin: float | None) -> None:
    from openbench.errors import UsageError

    if not 0 < level < 1:
        raise UsageError(f"--level {level}: expected a number between 0 and 1, such as 0.95.")
    if margin is not None and not margin > 0:
        raise UsageError(f"--margin {margin}: expected a difference above 0, in the unit of the scores.")


def _check_several(labels: list[str]) -> None:
    from openbench.errors import UsageError

    if len(labels) == 1:
        raise UsageError(
            f"{labels[0]} is the only system in these logs, so that there is nothing to compare it with. Name further "
            "logs; LABEL=LOGS tells runs of one model apart."
        )
