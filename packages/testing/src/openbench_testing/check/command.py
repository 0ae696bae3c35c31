"""The command `bench check`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from openbench.errors import FAILED, SUCCESS, UsageError
from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench_testing.check.goldens import keep_prompts
from openbench_testing.check.pin import update_pin
from openbench_testing.check.table import results, table
from openbench_testing.conformance import examine, gather
from openbench_testing.conformance.evidence import Evidence
from openbench_testing.conformance.goldens import read_goldens
from openbench_testing.conformance.installed import installed


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="Benchmarks, name@distribution, groups, or paths of local evals."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Check every installed benchmark.")] = False,
    update: Annotated[
        bool, typer.Option("--update-goldens", help="First store the current prompts in goldens/.")
    ] = False,
    pin: Annotated[
        bool,
        typer.Option(
            "--update-pin",
            help="First pin the rows to their source's current state: the newest commit, or the file's digest.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the outcomes as JSON to stdout, and nothing else.")
    ] = False,
    debug: Annotated[  # noqa: ARG001 - core reads it
        bool, typer.Option("--debug", help="Show the traceback of an error of the command itself.")
    ] = False,
) -> int:
    """Check the conformance of benchmarks.

    Checks run on the benchmark's own sample rows, without a model, an API key or a network. Exits with 1 if a check
    fails.
    """
    names = names or []
    if everything == bool(names):
        raise UsageError("Name the benchmarks to check, or use --all for all installed ones.")
    catalog = Catalog.installed()
    benchmarks = _benchmarks(catalog, names)
    if pin:
        pinned = [update_pin(benchmark) for benchmark in benchmarks]
        benchmarks = [benchmark for benchmark, _ in pinned]
        for _, change in pinned:
            typer.echo(change, err=as_json)
    evidence = _gather(catalog, benchmarks)
    kept = []
    if update:
        kept = [keep_prompts(*pair, to_stderr=as_json) for pair in zip(benchmarks, evidence, strict=True)]
        goldens = [read_goldens(benchmark, catalog) for benchmark in benchmarks]
        evidence = [replace(of, goldens=now) for of, now in zip(evidence, goldens, strict=True)]
    outcomes = [outcome for of in evidence for outcome in examine(of)]
    lines = [json.dumps(results(outcomes), indent=2, ensure_ascii=False)] if as_json else table(outcomes)
    typer.echo("\n".join(lines))
    return FAILED if not all(kept) or any(outcome.status == "failed" for outcome in outcomes) else SUCCESS


def _gather(catalog: Catalog, benchmarks: Sequence[Benchmark]) -> list[Evidence]:
    """Gather the evidence, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return gather(catalog, benchmarks)
    with typer.progressbar(length=100, label=f"Checking {len(benchmarks)}", file=sys.stderr, show_eta=False) as bar:
        evidence = gather(catalog, benchmarks, lambda share: bar.update(int(100 * share) - bar.pos))
        bar.update(100 - bar.pos)
    return evidence


def _benchmarks(catalog: Catalog, names: Sequence[str]) -> list[Benchmark]:
    """Return the distinct benchmarks that names refer to; without names, all installed ones."""
    groups = [(name, catalog.group(name)) for name in names or installed(catalog)]
    members = [member for name, group in groups for member in (group.value.benchmarks if group else [name])]
    found = [find_benchmark(catalog, member) for member in members]
    return list({benchmark.reference: benchmark for benchmark in found}.values())
