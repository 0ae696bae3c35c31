"""Scores logs again, as `bench score` does: `python -m … REPORT`, with the logs as JSON in the standard input."""

import json
import sys

from openbench.catalog import Catalog
from openbench.run.logs import read_log
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench.run.rescore import rescore
from openbench_testing.conformance.evidence import Run
from openbench_testing.conformance.probes.figures import run_of
from openbench_testing.conformance.probes.guard import forbid_network
from openbench_testing.conformance.probes.report import described, write


def score_again(catalog: Catalog, path: str) -> Run:
    """Score a log again."""
    try:
        return run_of(rescore(catalog, read_log(path), roles={"grader": make_model(ModelSpec(name="baseline/grader"))}))
    except Exception as error:  # noqa: BLE001 - a plugin's code may raise anything
        return Run(error=described(error))


def main(report: str) -> None:
    """Report the figures of each benchmark's logs."""
    logs = json.load(sys.stdin)
    catalog = Catalog.installed()
    forbid_network()
    write(
        report, {of: {name: score_again(catalog, path) for name, path in paths.items()} for of, paths in logs.items()}
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
