"""What a log says of where its task came from: the benchmark, its rows and prompts, its parts, and all versions."""

import hashlib
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample

from openbench.benchmark import Benchmark
from openbench.datasets import Rows
from openbench.datasets.digests import content_digest
from openbench.metadata import DatasetSource
from openbench.redaction import redacted_text
from openbench.tasks.parts import modules_of, scorers_of, solvers_of
from openbench.versions import (
    CORE,
    distribution_of,
    imported_distributions,
    loaded_versions,
    local_origins,
    source_folder,
    used_versions,
)

HIGHER_IS_BETTER = "higher_is_better"
"""Where a log says that lower is better of its benchmark's main metric: it is False then."""


def provenance(benchmark: Benchmark, task: Task, read: Sequence[Rows], *, sample: bool) -> dict[str, Any]:
    """Return what a log says of a task, as plain data.

    Args:
        benchmark: The benchmark.
        task: The task that its function gave.
        read: The rows that were read meanwhile.
        sample: Whether they are those of its package.
    """
    versions = loaded_versions(_roots(benchmark))
    datasets = _datasets(benchmark, task, read)
    return {
        "benchmark": benchmark.key,
        "reference": benchmark.reference,
        "distribution": benchmark.distribution,
        "version": benchmark.version,
        "core": version(CORE),
        "sample": sample,
        **({} if benchmark.metadata.higher_is_better else {HIGHER_IS_BETTER: False}),
        **datasets,
        "prompt": prompt_digest(task),
        "scorers": scorers_of(task, benchmark),
        "solvers": solvers_of(task, benchmark),
        "source": content_digest(source_digests(benchmark, task, datasets)),
        "versions": versions,
        "local": _local(versions),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def source_digests(benchmark: Benchmark, task: Task, datasets: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of a benchmark's files: local evals and editable installs change without a version.

    Those of a local eval are by file, without its rows, which have digests of their own; that of a package is one.

    Args:
        benchmark: The benchmark.
        task: Its task.
        datasets: What a log says of its rows.
    """
    if benchmark.path:
        read = [task.dataset.location, *(each.get("source") for each in _read(datasets))]
        rows = {Path(place).resolve() for place in read if place}
        files = {name: path for name, path in benchmark.source_files().items() if path.resolve() not in rows}
        return {name: file_digest(path) for name, path in sorted(files.items())}
    # Its code is imported once, so that its files are read once: it may have thousands of benchmarks.
    package = benchmark.metadata.module_path.partition(".")[0]
    if package not in _packages:
        files = benchmark.source_files()
        _packages[package] = {package: content_digest([(name, file_digest(path)) for name, path in files.items()])}
    return _packages[package]


_packages: dict[str, dict[str, str]] = {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packages_of(benchmark: Benchmark, task: Task) -> dict[str, str]:
    """Return the versions of what a task, its solvers and its scorers come from, or import, besides its own and ours.

    Of what has a solver or scorer, the digest of its Python files comes after the version: an editable one changes.
    """
    modules = modules_of(task)
    versions = used_versions(_roots(benchmark), modules)
    for name in {found[0] for module in modules if (found := distribution_of(module))} - {CORE, "inspect-ai"}:
        versions[name] += f" ({(distribution_digest(name) or '')[:12]})"
    return {name: said for name, said in versions.items() if name not in {CORE, benchmark.distribution}}


@cache
def distribution_digest(name: str) -> str | None:
    """Return the digest of the Python files of a distribution's loaded package; None if it has none."""
    folder = source_folder(name)
    if folder is None:
        return None
    return content_digest([(str(path.relative_to(folder)), path.read_bytes()) for path in sorted(folder.rglob("*.py"))])


def prompt_digest(task: Task) -> str:
    """Return the digest of what the samples show a model, in their order: their input and choices."""
    return content_digest([[shown(sample), sample.choices] for sample in task.dataset])


def shown(sample: Sample) -> Any:
    """Return a sample's input as data, without the ids of its messages, which are random."""
    text = sample.input
    return text if isinstance(text, str) else [message.model_dump(exclude={"id"}, mode="json") for message in text]


def _datasets(benchmark: Benchmark, task: Task, read: Sequence[Rows]) -> dict[str, Any]:
    """Say which rows were read: those that the metadata name, else the first; any others after them."""
    declared = benchmark.metadata.dataset
    if not read:
        # It reads them in a way of its own, so that the digest of the rows cannot be had; that of the samples is.
        own = _source(declared) if declared else {"source": task.dataset.location or task.dataset.name}
        return {"dataset": {**own, "rows": None, "sha256": None}}
    named = [rows for rows in read if declared and rows.source and _place(rows.source) == _place(declared)]
    main = (named or read)[0]
    others = [_rows(rows) for rows in read if rows is not main]
    return {"dataset": _rows(main), **({"further_datasets": others} if others else {})}


def _read(datasets: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [datasets.get("dataset", {}), *datasets.get("further_datasets", ())]


def _rows(rows: Rows) -> dict[str, Any]:
    # What a package brings has no source: its label is the file's path, which is another on each machine.
    source = _source(rows.source) if rows.source else {"source": "/".join(Path(rows.label).parts[-3:]), "bundled": True}
    return {**source, "rows": len(rows.rows), "sha256": rows.digest}


def _source(source: DatasetSource) -> dict[str, Any]:
    return {
        "source": redacted_text(source.source),
        "config": source.config,
        "split": source.split,
        "revision": source.revision,
        **({"file_sha256": source.sha256} if source.sha256 else {}),
    }


def _place(source: DatasetSource) -> tuple[str, str | None]:
    return source.source, source.split


def _roots(benchmark: Benchmark) -> list[str]:
    if benchmark.distribution:
        return [benchmark.distribution]
    return imported_distributions(benchmark.source_files().values())


def _local(versions: dict[str, str]) -> dict[str, dict[str, str | None]]:
    """Say which distributions come from this machine's folders, so that their version does not say what they are."""
    origins = local_origins(versions)
    return {name: {"from": origin, "sha256": distribution_digest(name)} for name, origin in origins.items()}
