"""`bench power`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.errors import UsageError
from openbench_analysis.commands import shared

if TYPE_CHECKING:
    from openbench_analysis.planning import Target, Variability


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", autocompletion=complete_names, help="Benchmarks or groups."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The number of samples, in place of the benchmark's own.")
    ] = None,
    effect: Annotated[
        float | None, typer.Option(metavar="E", help="The true difference to find, such as 0.03 for three points.")
    ] = None,
    discordance: Annotated[
        list[float] | None,
        typer.Option(metavar="SHARE", help="The share of samples whose scores differ, such as 0.1; may be repeated."),
    ] = None,
    epochs: Annotated[
        list[int] | None, typer.Option(min=1, metavar="N", help="A number of epochs; may be repeated.")
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, metavar="SHARE", help="The part of the variance that is noise between a sample's epochs."
        ),
    ] = None,
    logs: Annotated[
        list[str] | None,
        typer.Option("--from", metavar="PLACE", help="A log of a pilot, or a directory of them; may be repeated."),
    ] = None,
    power: Annotated[float, typer.Option(metavar="SHARE", help="The probability of finding a difference.")] = 0.8,
    alpha: Annotated[float, typer.Option(metavar="SHARE", help="The significance level.")] = 0.05,
    as_json: opt.Json = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> None:
    """Show what a benchmark can find, or with --effect, how many samples and epochs that takes.

    Two systems answer the same samples. On how many of these their scores differ is assumed, or measured with --from:
    in two runs or more of a benchmark, or in one with several epochs.
    """
    for name, share in (
        ("--power", power),
        ("--alpha", alpha),
        *(("--discordance", each) for each in discordance or ()),
    ):
        if not 0 < share < 1:
            raise UsageError(f"{name} {share}: expected a number between 0 and 1.")
    if effect is not None and not 0 < abs(effect) < 1:
        raise UsageError(f"--effect {effect}: expected a difference other than 0, below 1.")
    if not (names or samples or effect or logs):
        raise UsageError("Name a benchmark, or give --samples, --effect or --from.")
    from dataclasses import asdict

    from openbench.cli.layout import terminal_width, wrapped
    from openbench_analysis.planning import DISCORDANCES, Request, Target, Variability, plan
    from openbench_analysis.rendering.power import power_notes, power_table

    request = Request(effect=abs(effect) if effect else None, power=power, alpha=alpha)
    if logs:
        cases = _measured(logs, names or (), samples, within)
    else:
        sizes = _sizes(names, samples) if names else {None: samples}
        shares = discordance or DISCORDANCES
        cases = [
            (Target(name, size), Variability.of_discordance(share, within))
            for name, size in sizes.items()
            for share in shares
        ]
    found = plan(request, cases, epochs)
    if as_json:
        opt.echo_json({"request": asdict(request), "figures": [asdict(each) for each in found]})
        return
    table, notes = power_table(request, found), power_notes(request, found)
    if as_markdown:
        typer.echo("\n".join([table.markdown(), *(f"- {note}" for note in notes)]))
    else:
        lines = [line for note in notes for line in wrapped(note, 0)]
        typer.echo("\n".join([*table.lines(terminal_width()), "", *lines]))


def _sizes(names: Sequence[str], samples: int | None) -> "dict[str | None, int | None]":
    """Return the number of samples of each benchmark, those of groups too.

    Raises:
        UsageError: A name means nothing, or a benchmark's number is not known.
    """
    from openbench.registry.benchmark import find_benchmark
    from openbench.registry.catalog import Catalog

    catalog = Catalog.installed()
    members = [
        member
        for name in names
        for group in [catalog.group(name)]
        for member in (group.value.benchmarks if group else [name])
    ]
    sizes: dict[str | None, int | None] = {}
    for benchmark in (find_benchmark(catalog, member) for member in members):
        sizes[benchmark.key] = samples or benchmark.metadata.samples
        if not sizes[benchmark.key]:
            raise UsageError(f"{benchmark.key}: its metadata does not say how many samples it has. Give --samples.")
    return sizes


def _measured(
    places: Sequence[str], names: Sequence[str], samples: int | None, within: float | None
) -> "list[tuple[Target, Variability]]":
    """Return the variabilities that logs hold, with a message on stderr for each log that cannot be used.

    Raises:
        UsageError: A place does not exist, or has no logs of the benchmarks.
        LogError: None of the logs can be used.
    """
    from openbench.errors import LogError
    from openbench_analysis.pilot import measured
    from openbench_analysis.systems import read_systems

    collection = read_systems(places)
    cases, problems = measured(collection.systems, names, samples, within)
    problems = [*collection.problems, *problems]
    if not cases:
        raise LogError("\n".join(problems))
    shared.warn(problems)
    return cases
