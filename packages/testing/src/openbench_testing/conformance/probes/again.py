"""Rescores logs, as `bench score` does, then builds the tasks: `python -m … REPORT BENCHMARK...`.

The logs arrive as JSON on standard input after another process has written them; meanwhile, this one imports its
modules. It scores before it builds: building a task registers its scorers, which `bench score` must find itself.
"""

import json
import sys
from dataclasses import replace
from typing import Any

from openbench.registry.benchmark import Benchmark
from openbench.registry.catalog import Catalog
from openbench.run.logs import read_log
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench_logs.rescore import rescore
from openbench_testing.conformance.evidence import Run
from openbench_testing.conformance.probes.build import build, find_all
from openbench_testing.conformance.probes.figures import run_of
from openbench_testing.conformance.probes.letters import letters_of, reversed_options
from openbench_testing.conformance.probes.report import described, write


def score_again(catalog: Catalog, path: str) -> Run:
    """Rescore a log."""
    try:
        return run_of(rescore(catalog, read_log(path), roles={"grader": make_model(ModelSpec(name="baseline/grader"))}))
    except Exception as error:  # noqa: BLE001 - a plugin's code may raise anything
        return Run(error=described(error))


def built(benchmark: Benchmark, attempts: list[str]) -> dict[str, Any]:
    """Build a benchmark from its sample rows, from these in reverse, and from all its rows."""
    turned = replace(build(benchmark, attempts)[0], reversed_options=reversed_options(benchmark))
    return {"built": turned, "letters": letters_of(benchmark)}


def main(report: str, *references: str) -> None:
    """Report the rescored logs of each benchmark, and its built task."""
    catalog = Catalog.installed()
    benchmarks, attempts = find_all(references)
    cases = list(zip(references, benchmarks, strict=True))
    logs = json.load(sys.stdin)
    rescored = {of: {name: score_again(catalog, path) for name, path in logs.get(of, {}).items()} for of, _ in cases}
    write(report, {of: {"rescored": rescored[of], **built(found, attempts)} for of, found in cases})


if __name__ == "__main__":
    main(*sys.argv[1:])
