"""The command `bench check`."""

import json
from collections.abc import Sequence

import click

from openbench.benchmark import find_benchmark
from openbench.catalog import Catalog
from openbench.errors import FAILED, SUCCESS, UsageError
from openbench_testing.check.table import results, table
from openbench_testing.conformance import conformance
from openbench_testing.conformance.installed import installed


@click.command("check")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Check every installed benchmark.")
@click.option("--json", "as_json", is_flag=True, help="Write the outcomes as JSON to stdout, and nothing else.")
@click.option("--debug", is_flag=True, help="Show where an error of the command itself comes from.")
def command(names: Sequence[str], everything: bool, as_json: bool, debug: bool) -> int:  # noqa: ARG001 - the kernel reads --debug
    """Check that benchmarks conform.

    NAME is a benchmark's name, name@distribution, a group, or the path of a local eval. Every check runs on the
    benchmark's own sample rows, without a model, a key or a network. Ends with 1 if a check failed.
    """
    if everything == bool(names):
        raise UsageError("Say which benchmarks to check: names, or --all for every installed one.")
    outcomes = conformance(_references(names))
    lines = [json.dumps(results(outcomes), indent=2, ensure_ascii=False)] if as_json else table(outcomes)
    click.echo("\n".join(lines))
    return FAILED if any(outcome.status == "failed" for outcome in outcomes) else SUCCESS


def _references(names: Sequence[str]) -> tuple[str, ...]:
    """Return exact references; of all benchmarks if no name is given."""
    catalog = Catalog.installed()
    if not names:
        return installed(catalog)
    groups = [(name, catalog.group(name)) for name in names]
    members = [member for name, group in groups for member in (group.value.benchmarks if group else [name])]
    return tuple(dict.fromkeys(find_benchmark(catalog, member).reference for member in members))
