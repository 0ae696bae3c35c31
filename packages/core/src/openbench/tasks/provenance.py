"""What a log says of where its task came from: the benchmark, its rows and prompts, its parts, and all versions."""

import platform
from collections.abc import Sequence
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
from openbench.tasks.parts import scorers_of, solvers_of
from openbench.versions import CORE, imported_distributions, loaded_versions, local_origins, source_folder


def provenance(benchmark: Benchmark, task: Task, read: Sequence[Rows], *, sample: bool) -> dict[str, Any]:
    """Return what a log says of a task, as plain data.

    Args:
        benchmark: The benchmark.
        task: The task that its function gave.
        read: The rows that were read meanwhile.
        sample: Whether they are those of its package.
    """
    versions = loaded_versions(_roots(benchmark))
    return {
        "benchmark": benchmark.key,
        "reference": benchmark.reference,
        "distribution": benchmark.distribution,
        "version": benchmark.version,
        "core": version(CORE),
        "sample": sample,
        **_datasets(benchmark, task, read),
        "prompt": prompt_digest(task),
        "scorers": scorers_of(task, benchmark),
        "solvers": solvers_of(task, benchmark),
        "source": source_digest(benchmark),
        "versions": versions,
        "local": _local(versions),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def source_digest(benchmark: Benchmark) -> str:
    """Return the digest of a benchmark's files: local evals and editable installs change without a version."""
    return content_digest([(name, path.read_bytes()) for name, path in benchmark.source_files().items()])


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
