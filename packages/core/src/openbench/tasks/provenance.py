"""Provenance: what produced a log, from the rows and prompts to the versions and the command."""

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSpec

from openbench.datasets import Rows
from openbench.datasets.values import content_digest
from openbench.metadata import DatasetSource
from openbench.redaction import redacted, redacted_text
from openbench.registry.benchmark import Benchmark
from openbench.registry.harnesses import harness_task
from openbench.registry.versions import (
    ALWAYS,
    CORE,
    distribution_of,
    imported_distributions,
    local_origins,
    needed_versions,
    needs_of_extra,
    source_folder,
)
from openbench.tasks.solvers import registered, steps_of

METADATA_KEY = "openbench"
"""The key of the provenance in the metadata of a task and of its log."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What produced a log. It is in the log's metadata under `METADATA_KEY`, a key for each attribute that is known.

    Attributes:
        benchmark: The benchmark's key.
        reference: An unambiguous reference to the benchmark; see `Benchmark.reference`.
        distribution: The distribution that provides it; None for a local eval.
        version: That distribution's version.
        core: The version of openbench-core.
        sample: Whether the rows are the sample rows that its package ships.
        higher_is_better: The direction of its main metric; written only if it is False.
        dataset: The rows that were read: `source`, `config`, `split`, `revision`, `rows` (their number) and `sha256`.
        further_datasets: Other rows that the task read.
        prompt: The digest of the samples' inputs and choices.
        scorers: The scorers, each as `as_data` describes it.
        solvers: The solvers, likewise.
        source: The digest of the benchmark's files.
        versions: The versions of the benchmark's distribution and its dependencies, by distribution.
        local: Those that are installed from a folder: `from` (`editable` or `path`), and the `sha256` of their files.
        python: Python's version.
        platform: The platform.
        style: The style of multiple-choice questions, if any.
        components: The components of a declarative benchmark.
        base: The benchmark that a declarative benchmark changes, with the changes.
        rule: The rule by which its distribution provides the name; see `openbench.registry.resolution`.
        in_place_of: The distributions that it replaces.
        job: The id of the job in its run.
        run: The directory of the run, as seen from the log's.
        command: The command line, without secrets.
        plan: The settings of the job, without secrets.
        identity: What determines whether samples may be reused; see `openbench.run.identity`.
        provider: Distributions that only the model's provider needs.
        engine: The engine that ran the samples: `name`, `reason` and, for some engines, `processes`.
        seconds: The time during which samples ran, if it differs from the log's.
    """

    benchmark: str = ""
    reference: str = ""
    distribution: str | None = None
    version: str | None = None
    core: str = ""
    sample: bool = False
    higher_is_better: bool = True
    dataset: Mapping[str, Any] = field(default_factory=dict)
    further_datasets: Sequence[Mapping[str, Any]] = ()
    prompt: str = ""
    scorers: Sequence[Mapping[str, Any]] = ()
    solvers: Sequence[Mapping[str, Any]] = ()
    source: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    local: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    python: str = ""
    platform: str = ""
    style: str | None = None
    components: Sequence[Mapping[str, Any]] | None = None
    base: Mapping[str, Any] | None = None
    rule: str = ""
    in_place_of: Sequence[str] = ()
    job: str = ""
    run: str = ""
    command: Sequence[str] = ()
    plan: Mapping[str, Any] = field(default_factory=dict)
    identity: Mapping[str, Any] = field(default_factory=dict)
    provider: Sequence[str] = ()
    engine: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None

    @classmethod
    def of(cls, holder: Task | EvalSpec | EvalLog) -> "Provenance":
        """Read the provenance of a task or a log; attributes that it lacks are empty."""
        metadata = (holder.eval if isinstance(holder, EvalLog) else holder).metadata or {}
        found = metadata.get(METADATA_KEY)
        return cls.read(found if isinstance(found, dict) else {})

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Provenance":
        """Read provenance from plain data."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__ if data.get(name) is not None})

    def __bool__(self) -> bool:
        """Return whether it describes a benchmark, that is, whether openbench built the task."""
        return bool(self.benchmark)


def record(holder: Task | EvalLog, **changes: Any) -> None:
    """Set attributes of `Provenance` in the metadata of a task or a log; others are unchanged."""
    Provenance(**changes)  # refuses other names
    of = holder.eval if isinstance(holder, EvalLog) else holder
    of.metadata = {**(of.metadata or {}), METADATA_KEY: {**(of.metadata or {}).get(METADATA_KEY, {}), **changes}}
    if isinstance(holder, EvalLog):
        holder.recompute_tags_and_metadata()  # a log has them twice


def record_task(benchmark: Benchmark, task: Task, read: Sequence[Rows], *, sample: bool) -> None:
    """Record the provenance of a task."""
    versions = needed_versions([*ALWAYS, *_roots(benchmark)])
    datasets = _datasets(benchmark, task, read)
    record(
        task,
        benchmark=benchmark.key,
        reference=benchmark.reference,
        distribution=benchmark.distribution,
        version=benchmark.version,
        core=version(CORE),
        sample=sample,
        **({} if benchmark.metadata.higher_is_better else {"higher_is_better": False}),
        dataset=datasets[0],
        **({"further_datasets": datasets[1:]} if datasets[1:] else {}),
        prompt=prompt_digest(task),
        scorers=[as_data(scorer, benchmark) for scorer in task.scorer or ()],
        versions=versions,
        local={
            name: {"from": origin, "sha256": distribution_digest(name)}
            for name, origin in local_origins(versions).items()
        },
        python=platform.python_version(),
        platform=platform.platform(),
    )


def solvers_of(task: Task, benchmark: Benchmark) -> list[dict[str, Any]]:
    """Describe a task's solvers in their order, its setup first; see `as_data`."""
    return [as_data(solver, benchmark) for solver in steps_of(task)]


def as_data(part: Any, benchmark: Benchmark | None = None) -> dict[str, Any]:
    """Describe a scorer or solver, so that it can be created again.

    Args:
        part: The scorer or solver.
        benchmark: The benchmark whose task it is part of, and which may define it.

    Returns:
        Its `name` in Inspect's registry, with its package, and its `arguments`; the `distribution` and `version` that
        provide it, None for a file; and, if it was found by a short name, the decision that chose it (`component`).
    """
    info = registered(part)
    described: dict[str, Any] = {
        "name": info.name if info else getattr(part, "__qualname__", type(part).__qualname__),
        # Inspect logs these as options and as steps of the plan, but has no function that returns them.
        "arguments": redacted(dict(getattr(part, "__registry_params__", {}))),
    }
    component = info.metadata.get(METADATA_KEY) if info else None
    if component:
        provider = {"distribution": component["distribution"], "version": component["version"]}
        return {**described, **provider, "component": component}
    module = _module(part)
    if benchmark and module.partition(".")[0] == benchmark.metadata.module_path.partition(".")[0]:
        return {**described, "distribution": benchmark.distribution, "version": benchmark.version}
    distribution, version = distribution_of(module) or (None, None)
    return {**described, "distribution": distribution, "version": version}


def _module(part: object) -> str:
    return getattr(part, "__module__", None) or type(part).__module__


def source_digests(benchmark: Benchmark, task: Task, datasets: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the digests of a benchmark's files: local evals and editable installs change without a version.

    A local eval has one per file, except for its rows, whose digests are elsewhere; a package has one.
    """
    if benchmark.path:
        read = [task.dataset.location, *(each.get("source") for each in datasets)]
        rows = {Path(place).resolve() for place in read if place}
        files = {name: path for name, path in benchmark.source_files().items() if path.resolve() not in rows}
        return {name: file_digest(path) for name, path in sorted(files.items())}
    package = benchmark.metadata.module_path.partition(".")[0]
    if package not in _package_digests:
        files = benchmark.source_files()
        _package_digests[package] = content_digest([(name, file_digest(path)) for name, path in files.items()])
    return {package: _package_digests[package]}


# A package may have thousands of benchmarks, so its files are read once.
_package_digests: dict[str, str] = {}


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def packages_of(benchmark: Benchmark, task: Task) -> dict[str, str]:
    """Return the versions of the distributions of a task's solvers and scorers, and of all dependencies.

    Core and the benchmark's distribution are left out. Distributions of solvers and scorers have the digest of their
    Python files after the version, since editable ones change.
    """
    modules = {_module(part) for part in [*steps_of(task), *(task.scorer or ())]}
    origins = {found[0] for module in modules if (found := distribution_of(module))}
    versions = needed_versions([*_roots(benchmark), *origins], leaves=ALWAYS)
    for name in origins - {CORE, "inspect-ai"}:
        versions[name] += f" ({(distribution_digest(name) or '')[:12]})"
    return {name: value for name, value in versions.items() if name not in {CORE, benchmark.distribution}}


@cache
def distribution_digest(name: str) -> str | None:
    """Return the digest of the Python files of a distribution's imported package; None if none is imported."""
    folder = source_folder(name)
    if folder is None:
        return None
    return content_digest([(str(path.relative_to(folder)), path.read_bytes()) for path in sorted(folder.rglob("*.py"))])


def prompt_digest(task: Task) -> str:
    """Return the digest of the samples' inputs and choices, in their order."""
    return content_digest([[shown(sample), sample.choices] for sample in task.dataset])


def shown(sample: Sample) -> Any:
    """Return a sample's input as data, without the random ids of its messages."""
    text = sample.input
    return text if isinstance(text, str) else [message.model_dump(exclude={"id"}, mode="json") for message in text]


def _datasets(benchmark: Benchmark, task: Task, read: Sequence[Rows]) -> list[dict[str, Any]]:
    """Describe the rows that were read: first those of the metadata's source, else the first that are not a text."""
    declared = benchmark.metadata.dataset
    if not read:
        # They were not read through openbench, so their number and digest are unknown; the prompts have a digest.
        own = _source(declared) if declared else {"source": task.dataset.location or task.dataset.name}
        return [{**own, "rows": None, "sha256": None}]
    named = (
        rows
        for rows in read
        if declared and rows.source and (rows.source.source, rows.source.split) == (declared.source, declared.split)
    )
    main = next(named, min(read, key=lambda rows: rows.source is not None and rows.source.type == "text"))
    return [_rows(main), *(_rows(rows) for rows in read if rows is not main)]


def _rows(rows: Rows) -> dict[str, Any]:
    # Sample rows have no source, and the path in their label differs between machines.
    source = _source(rows.source) if rows.source else {"source": "/".join(Path(rows.label).parts[-3:]), "bundled": True}
    return {**source, "rows": len(rows.rows), "sha256": rows.digest}


def _source(source: DatasetSource) -> dict[str, Any]:
    return {
        "source": redacted_text(source.source),
        "config": source.config,
        "split": source.split,
        "revision": source.revision,
        **({"file_sha256": source.sha256} if source.sha256 else {}),
        **({"file_md5": source.md5} if source.md5 else {}),
    }


def _roots(benchmark: Benchmark) -> list[str]:
    if benchmark.distribution:
        harness = harness_task(benchmark.key)
        return [benchmark.distribution, *(needs_of_extra(harness.distribution, harness.prefix) if harness else ())]
    return imported_distributions(benchmark.source_files().values())
