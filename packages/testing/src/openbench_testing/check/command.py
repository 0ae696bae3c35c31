"""The command `bench check`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace

import click

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


@click.command("check")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Check every installed benchmark.")
@click.option("--update-goldens", "update", is_flag=True, help="First keep the prompts as they are now, in goldens/.")
@click.option(
    "--update-pin",
    "pin",
    is_flag=True,
    help="First pin the rows as their source has them now: the newest commit, or the digest of the file.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the outcomes as JSON to stdout, and nothing else.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def command(
    names: Sequence[str],
    everything: bool,
    update: bool,
    pin: bool,
    as_json: bool,
    debug: bool,  # noqa: ARG001 - the kernel reads --debug
) -> int:
    """Check that benchmarks conform.

    NAME is a benchmark's name, name@distribution, a group, or the path of a local eval. Every check runs on the
    benchmark's own sample rows, without a model, a key or a network. Ends with 1 if a check failed.
    """
    if everything == bool(names):
        raise UsageError("Say which benchmarks to check: names, or --all for every installed one.")
    catalog = Catalog.installed()
    benchmarks = _benchmarks(catalog, names)
    if pin:
        pinned = [update_pin(benchmark) for benchmark in benchmarks]
        benchmarks = [benchmark for benchmark, _ in pinned]
        for _, change in pinned:
            click.echo(change, err=as_json)
    evidence = _gather(catalog, benchmarks)
    kept = []
    if update:
        kept = [keep_prompts(*pair, to_stderr=as_json) for pair in zip(benchmarks, evidence, strict=True)]
        goldens = [read_goldens(benchmark, catalog) for benchmark in benchmarks]
        evidence = [replace(of, goldens=now) for of, now in zip(evidence, goldens, strict=True)]
    outcomes = [outcome for of in evidence for outcome in examine(of)]
    lines = [json.dumps(results(outcomes), indent=2, ensure_ascii=False)] if as_json else table(outcomes)
    click.echo("\n".join(lines))
    return FAILED if not all(kept) or any(outcome.status == "failed" for outcome in outcomes) else SUCCESS


def _gather(catalog: Catalog, benchmarks: Sequence[Benchmark]) -> list[Evidence]:
    """Gather the evidence, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return gather(catalog, benchmarks)
    with click.progressbar(length=100, label=f"Checking {len(benchmarks)}", file=sys.stderr, show_eta=False) as bar:
        evidence = gather(catalog, benchmarks, lambda share: bar.update(int(100 * share) - bar.pos))
        bar.update(100 - bar.pos)
    return evidence


def _benchmarks(catalog: Catalog, names: Sequence[str]) -> list[Benchmark]:
    """Return what names mean, each once; all that is installed if no name is given."""
    groups = [(name, catalog.group(name)) for name in names or installed(catalog)]
    members = [member for name, group in groups for member in (group.value.benchmarks if group else [name])]
    found = [find_benchmark(catalog, member) for member in members]
    return list({benchmark.reference: benchmark for benchmark in found}.values())
