"""Gathers the evidence of many benchmarks at once, since a process that imports inspect takes seconds to start."""

import hashlib
import importlib.metadata
import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from openbench.benchmark import Benchmark, find_benchmark
from openbench.catalog import Catalog
from openbench.local import source_file
from openbench_testing.conformance.checks import examine
from openbench_testing.conformance.evidence import Built, Evidence, Light, Prompts, Run, Shown
from openbench_testing.conformance.goldens import read_goldens
from openbench_testing.conformance.outcome import Outcome
from openbench_testing.conformance.processes import ProbeError, probe

_FEWEST = 4  # in a batch: below, a process of its own costs more than it saves

_Found = dict[str, Any]


@cache
def conformance(references: tuple[str, ...]) -> Sequence[Outcome]:
    """Check benchmarks, once in this process.

    Args:
        references: Names, or `name@distribution`.

    Returns:
        The outcome of every check, benchmark by benchmark.

    Raises:
        UsageError: A name means no benchmark, or several.
    """
    catalog = Catalog.installed()
    evidence = gather(catalog, [find_benchmark(catalog, reference) for reference in references])
    return [outcome for of in evidence for outcome in examine(of)]


def gather(catalog: Catalog, benchmarks: Sequence[Benchmark]) -> list[Evidence]:
    """Run all probes on benchmarks, in as many processes at once as there are processors."""
    distributions = sorted({benchmark.distribution for benchmark in benchmarks if benchmark.distribution})
    workers = os.cpu_count() or 1
    batches = _batches([benchmark.reference for benchmark in benchmarks], workers)
    with tempfile.TemporaryDirectory(prefix="openbench-") as name, ThreadPoolExecutor(workers) as pool:
        folder = Path(name)
        evaluated = [pool.submit(_evaluate, batch, folder) for batch in batches]
        built = [pool.submit(_build, batch, folder) for batch in batches]
        light = dict(zip(distributions, pool.map(lambda of: _light(of, folder), distributions), strict=True))
        first = dict(chain.from_iterable(batch.result().items() for batch in built))
        second = dict(chain.from_iterable(batch.result().items() for batch in evaluated))
    return [_evidence(of, catalog, light, first[of.reference], second[of.reference]) for of in benchmarks]


def _batches(references: Sequence[str], workers: int) -> list[Sequence[str]]:
    size = max(_FEWEST, math.ceil(len(references) / workers))
    return [references[start : start + size] for start in range(0, len(references), size)]


def _light(distribution: str, folder: Path) -> Light:
    try:
        return Light(**probe("light", folder, [distribution]))
    except ProbeError as error:
        return Light(error=str(error))


def _build(references: Sequence[str], folder: Path) -> _Found:
    try:
        found: _Found = probe("build", folder, references, benchmarks=len(references), hash_seed=1)
    except ProbeError as error:
        if len(references) == 1:
            return {references[0]: {"error": str(error)}}
        return _each(_build, references, folder)
    return found


def _evaluate(references: Sequence[str], folder: Path) -> _Found:
    logs = tempfile.mkdtemp(dir=folder)
    count = len(references)
    try:
        found: _Found = probe("evaluate", folder, [logs, *references], benchmarks=count, hash_seed=2)
        paths = json.dumps({reference: of["logs"] for reference, of in found.items()})
        rescored = probe("rescore", folder, [], benchmarks=count, hash_seed=3, said=paths)
    except ProbeError as error:
        if count == 1:
            nothing: _Found = {"shown": [], "prompts": {}, "runs": {}, "rescored": {}}
            return {references[0]: {"built": {"error": str(error)}, **nothing}}
        return _each(_evaluate, references, folder)
    return {reference: {**of, "rescored": rescored[reference]} for reference, of in found.items()}


def _each(gather_one: Any, references: Sequence[str], folder: Path) -> _Found:
    """Look at benchmarks one by one, so that the one that ends its process costs the others nothing."""
    return dict(chain.from_iterable(gather_one([reference], folder).items() for reference in references))


def _evidence(
    benchmark: Benchmark, catalog: Catalog, light: Mapping[str, Light], first: _Found, second: _Found
) -> Evidence:
    return Evidence(
        benchmark=benchmark.reference,
        key=benchmark.key,
        metadata=benchmark.metadata,
        distribution=benchmark.distribution,
        beside=str(source_file(benchmark.path).parent) if benchmark.path else None,
        plugins=_plugins(benchmark.distribution) if benchmark.distribution else (),
        brought=_brought(benchmark),
        light=light.get(benchmark.distribution or ""),
        builds=[Built(**first), Built(**second["built"])],
        shown=[Shown(**shown) for shown in second["shown"]],
        prompts=Prompts(**second["prompts"]),
        goldens=read_goldens(benchmark, catalog),
        runs={name: Run(**run) for name, run in second["runs"].items()},
        rescored={name: Run(**run) for name, run in second["rescored"].items()},
    )


def _brought(benchmark: Benchmark) -> str | None:
    source = benchmark.metadata.dataset
    path = Path(source.source) if source and source.type != "hf" else None
    return hashlib.sha256(path.read_bytes()).hexdigest() if path and path.is_file() else None


def _plugins(distribution: str) -> list[str]:
    try:
        points = importlib.metadata.distribution(distribution).entry_points
    except importlib.metadata.PackageNotFoundError:  # half removed, its entry points are still found
        return []
    return [point.name for point in points if point.group == "inspect_ai"]
