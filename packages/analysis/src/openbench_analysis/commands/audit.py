"""`bench audit`."""

from typing import Annotated

import typer

from openbench.cli import options as opt
from openbench.cli.completion import complete_names
from openbench.errors import FAILED, SUCCESS
from openbench_analysis.commands import shared


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", autocompletion=complete_names, help="The benchmark.")],
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="[[LABEL=]LOGS]...", help="Logs of it: files, directories, addresses or patterns."),
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample", help="Read the sample rows of its package, not all rows.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a finding is severe.")] = False,
    rows: Annotated[int, typer.Option(min=0, metavar="N", help="Show up to N rows of a finding.")] = 10,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown to stdout.")] = False,
    as_json: opt.Json = False,
    debug: opt.Debug = False,  # noqa: ARG001 - `main` reads it
) -> int:
    """Look for faults of a benchmark: in its answer key, its rows, its scorer, and in what logs show of its samples.

    It looks at all rows, which bench data pull stores, and sends no request.
    """
    from dataclasses import asdict

    from openbench.cli.layout import terminal_width
    from openbench.errors import UsageError
    from openbench.registry.benchmark import find_benchmark
    from openbench.registry.catalog import Catalog
    from openbench.registry.names import normalized
    from openbench_analysis.audit.audit import audit
    from openbench_analysis.rendering.audit import as_lines, as_markdown
    from openbench_analysis.systems import read_systems

    benchmark = find_benchmark(Catalog.installed(), name)
    collection = read_systems(places) if places else None
    if collection:
        shared.warn(collection.problems)
        found = {run.benchmark for system in collection.systems for run in system.runs.values()}
        if normalized(benchmark.key) not in map(normalized, found):
            raise UsageError(f"no log is of {benchmark.key}. The logs are of {', '.join(sorted(found))}.")
    checks = audit(benchmark, collection.systems if collection else (), sample=sample)
    if as_json:
        opt.echo_json({"benchmark": benchmark.key, "sample": sample, "checks": [asdict(check) for check in checks]})
    elif markdown:
        typer.echo(as_markdown(benchmark.key, checks, rows))
    else:
        typer.echo("\n".join(as_lines(benchmark.key, checks, rows, terminal_width())))
    severe = any(finding.severity == "severe" for check in checks for finding in check.findings)
    return FAILED if strict and severe else SUCCESS
