"""Gathers the evidence on many benchmarks at once, since a process that imports Inspect takes seconds to start."""

import hashlib
import importlib.metadata
import json
import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from openbench.registry.benchmark import Benchmark, find_benchmark
from openbench.registry.catalog import Catalog
from openbench_local.loading import source_file
from openbench_testing.conformance.checks import examine
from openbench_testing.conformance.evidence import DONE, RUNS, Built, Evidence, Letters, Light, Prompts, Run, Shown
from openbench_testing.conformance.goldens import read_goldens
from openbench_testing.conformance.outcome import Outcome
from openbench_testing.conformance.processes import ProbeError, fresh_report, two_hosts

_SECONDS_A_STEP = 0.2
_FEWEST = 4  # in a batch: for fewer, a separate process costs more than it saves

_Found = dict[str, Any]


@cache
def conformance(references: tuple[str, ...]) -> Sequence[Outcome]:
    """Check benchmarks, once in this process.

    Args:
        references: Names, or `name@distribution`.

    Returns:
        The outcome of every check, benchmark by benchmark.

    Raises:
        UsageError: A name refers to no benchmark, or to several.
    """
    catalog = Catalog.installed()
    evidence = gather(catalog, [find_benchmark(catalog, reference) for reference in references])
    return [outcome for of in evidence for outcome in examine(of)]


def gather(
    catalog: Catalog, benchmarks: Sequence[Benchmark], progress: Callable[[float], None] | None = None
) -> list[Evidence]:
    """Run all probes on benchmarks, in about as many concurrent processes as there are CPUs.

    The workers of pytest-xdist share the CPUs.

    Args:
        catalog: The installed benchmarks.
        benchmarks: The benchmarks.
        progress: Called a few times per second with the completed share of the work.
    """
    distributions = sorted({benchmark.distribution for benchmark in benchmarks if benchmark.distribution})
    workers = max(1, (os.cpu_count() or 1) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    batches = _batches([benchmark.reference for benchmark in benchmarks], workers)
    with tempfile.TemporaryDirectory(prefix="openbench-") as name, ThreadPoolExecutor(workers) as pool:
        folder = Path(name)
        examined = [pool.submit(_examine, batch, folder) for batch in batches]
        loaded = [pool.submit(_light, distribution, folder) for distribution in distributions]
        while progress and wait(examined, _SECONDS_A_STEP).not_done:
            progress(len([*folder.rglob(f"*{DONE}")]) / (RUNS * len(batches)))
        found = dict(chain.from_iterable(batch.result().items() for batch in examined))
        light = {distribution: of.result() for distribution, of in zip(distributions, loaded, strict=True)}
    return [_evidence(of, catalog, light, found[of.reference]) for of in benchmarks]


def _batches(references: Sequence[str], workers: int) -> list[Sequence[str]]:
    size = max(_FEWEST, math.ceil(len(references) / workers))
    return [references[start : start + size] for start in range(0, len(references), size)]


def _light(distribution: str, folder: Path) -> Light:
    try:
        return Light(**fresh_report("light", folder, [distribution]))
    except ProbeError as error:
        return Light(error=str(error))


def _examine(references: Sequence[str], folder: Path) -> _Found:
    """Evaluate benchmarks in one process, and rescore and rebuild them in another with a different hash seed."""
    logs = tempfile.mkdtemp(dir=folder)
    count = len(references)
    with two_hosts() as hosts:
        try:
            evaluated = hosts.second.report("evaluate", folder, [logs, *references], benchmarks=count)
            written = json.dumps({reference: of["logs"] for reference, of in evaluated.items()})
            found = hosts.first.report("again", folder, references, written, benchmarks=count)
        except ProbeError as error:
            failed = str(error)
        else:
            return {of: _joined(found[of], evaluated[of]) for of in found}
    if count > 1:
        return _each(references, folder)
    nothing: _Found = {"shown": [], "prompts": {}, "runs": {}, "rescored": {}}
    return {references[0]: {**nothing, "builds": [{"error": failed}], "letters": []}}


def _joined(again: _Found, first: _Found) -> _Found:
    both = {"builds": [again["built"], first["built"]], "letters": [again["letters"], first["letters"]]}
    return {**first, **again, **both}


def _each(references: Sequence[str], folder: Path) -> _Found:
    """Examine benchmarks one by one: one that ends its process does not affect the others."""
    return dict(chain.from_iterable(_examine([reference], folder).items() for reference in references))


def _evidence(benchmark: Benchmark, catalog: Catalog, light: Mapping[str, Light], found: _Found) -> Evidence:
    return Evidence(
        benchmark=benchmark.reference,
        key=benchmark.key,
        metadata=benchmark.metadata,
        distribution=benchmark.distribution,
        beside=str(source_file(benchmark.path).parent) if benchmark.path else None,
        plugins=_plugins(benchmark.distribution) if benchmark.distribution else (),
        local_sha256=_local_sha256(benchmark),
        light=light.get(benchmark.distribution or ""),
        builds=[Built(**built) for built in found["builds"]],
        letters=[Letters(**letters) for letters in found["letters"]],
        shown=[Shown(**shown) for shown in found["shown"]],
        prompts=Prompts(**found["prompts"]),
        goldens=read_goldens(benchmark, catalog),
        runs={name: Run(**run) for name, run in found["runs"].items()},
        rescored={name: Run(**run) for name, run in found["rescored"].items()},
    )


def _local_sha256(benchmark: Benchmark) -> str | None:
    source = benchmark.metadata.dataset
    path = Path(source.source) if source and source.type != "hf" else None
    return hashlib.sha256(path.read_bytes()).hexdigest() if path and path.is_file() else None


def _plugins(distribution: str) -> list[str]:
    try:
        points = importlib.metadata.distribution(distribution).entry_points
    except importlib.metadata.PackageNotFoundError:  # partly removed; its entry points are still found
        return []
    return [point.name for point in points if point.group == "inspect_ai"]
