"""Declarations that are based on an installed benchmark."""

from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample

from openbench.datasets import RowMapping, load_samples
from openbench.errors import DataError, OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark, find_installed
from openbench.registry.catalog import Catalog
from openbench.tasks.provenance import METADATA_KEY
from openbench_authoring.declarative.asking import ask
from openbench_authoring.declarative.config import BenchmarkConfig, is_module
from openbench_authoring.declarative.fields import FIELDS, raise_faults
from openbench_authoring.declarative.lettered import asks_for_letters, show_options
from openbench_authoring.declarative.mapping import row_mapping
from openbench_authoring.declarative.parts import generate_config, made_of, own_metadata, shows_choices, solver_chain
from openbench_authoring.declarative.sampling import shaped
from openbench_authoring.declarative.sources import rows_of

# What can be changed of a task; of a declaration, everything can.
_OF_TASKS = (
    "solver",
    "solver_args",
    "scorer",
    "scorer_args",
    "system_message",
    "show_choices",
    "sampling",
    "sampling_by",
    "limit",
    "shuffle",
    "seed",
    "epochs",
    "generate",
    "metadata",
)


# Of a module's task, whose rows are replaced, besides.
_OF_ROWS = (
    "data_type",
    "data_source",
    "split",
    "config",
    "revision",
    "sha256",
    "field_mapping",
    "answer_format",
    "default_fields",
)


@dataclass(frozen=True)
class Base:
    """An installed benchmark that a declaration is based on.

    Attributes:
        provenance: Its entry in the log.
        config: The declaration merged over its own, if it is declared.
        task: Its task otherwise.
        to_sample: Its function from rows to samples.
    """

    provenance: dict[str, Any]
    config: BenchmarkConfig | None = None
    task: Task | None = None
    to_sample: RowMapping | None = None


def module_base(name: str, config: BenchmarkConfig) -> Base:
    """Return the task of a module, and its function `record_to_sample`, if it has one.

    Raises:
        UsageError: The module cannot be imported, or has no task function of its name.
    """
    path = str(config.base)
    try:
        module = import_module(path)
    except ImportError as error:
        package = path.partition(".")[0]
        hint = f" Install it: pip install {package.replace('_', '-')}" if error.name == package else ""
        raise UsageError(f"{name}: its base {path} cannot be imported: {error}.{hint}") from error
    function = getattr(module, path.rpartition(".")[2], None)
    task = function() if callable(function) else None
    if not isinstance(task, Task):
        raise UsageError(f"{name}: its base {path} has no task function {path.rpartition('.')[2]!r}.")
    return Base({"benchmark": path}, config, task, getattr(module, "record_to_sample", None))


def inherited(name: str, config: BenchmarkConfig) -> Base:
    """Return a declaration's inheritance from the installed benchmark that it names as its base.

    Raises:
        UsageError: The base is unknown, or the result is invalid.
        OpenbenchError: It cannot be imported, or its rows cannot be loaded.
    """
    if is_module(config.base):
        return module_base(name, config)
    catalog = Catalog.installed()
    first: Benchmark | None = None
    seen = [name]
    while config.base is not None:
        benchmark = find_installed(catalog, str(config.base))
        if benchmark.reference in seen:
            raise UsageError(f"{' -> '.join([*seen, benchmark.reference])}: each is based on the next.")
        seen.append(benchmark.reference)
        first = first or benchmark
        found = ask(benchmark.task_function())
        if isinstance(found, Task):
            return Base(_provenance(first), config, found)
        if not isinstance(found, BenchmarkConfig):
            raise OpenbenchError(f"{name}: its base {config.base} returned {type(found).__name__}, expected a Task.")
        config = config.over(found, where=name)
    assert first is not None  # noqa: S101 - callers have seen that there is a base
    return Base(_provenance(first), config)


def changed_task(name: str, config: BenchmarkConfig, base: Base) -> Task:
    """Return a base's task with a declaration's changes.

    A system message replaces the task's own. Another solver replaces all of the task's solvers, including its system
    message.

    Raises:
        UsageError: It changes something that cannot be changed in a task.
        DataError: A sample has no category to choose by.
    """
    task, given = base.task, config.given
    assert task is not None  # noqa: S101 - only tasks come here
    own_rows = is_module(config.base) and config.data_source is not None
    raise_faults(name, _refused(config, own_rows=own_rows))
    if own_rows:
        mapping = base.to_sample or row_mapping(config, lettered=False)
        rows = load_samples(rows_of(config), mapping, name=name)
        task = task_with(task, dataset=rows)
    changes: dict[str, Any] = {"name": name}
    components = []
    if "scorer" in given:
        changes["scorer"], origin = made_of("scorer", config.scorer, config.scorer_args)
        changes["metrics"] = None
        components.append(origin)
    asking = task.solver
    if "solver" in given:
        asking, origin = made_of("solver", config.solver, config.solver_args)
        components.append(origin)
    if given & {"solver", "system_message"}:
        changes["solver"] = solver_chain(config, asking)
    if own_rows or given & {"sampling", "limit", "shuffle", "solver"}:
        changes["dataset"] = _shaped(task, config, hidden="solver" in given and not shows_choices(asking))
    if "epochs" in given:
        changes["epochs"] = config.epochs
    entry = {"components": components, "base": base.provenance}
    changes["config"] = task.config.merge(generate_config(name, config.generate))
    changes["metadata"] = {**(task.metadata or {}), **own_metadata(config), METADATA_KEY: entry}
    return task_with(task, **changes)


def _refused(config: BenchmarkConfig, *, own_rows: bool) -> list[str]:
    can_be = {*_OF_TASKS, "base", *(_OF_ROWS if own_rows else ())}
    allowed = ", ".join(_OF_TASKS)
    why = f"cannot be changed, since the base {config.base} is not a declaration. Changeable fields: {allowed}."
    faults = [f"{field} {why}" for field in FIELDS if field in config.given - can_be]
    return (
        faults
        + [
            f"{kind}_args belong to a {kind}: name the {kind} as well."
            for kind in ("solver", "scorer")
            if f"{kind}_args" in config.given and kind not in config.given
        ]
        + ["show_choices belongs to a solver: name the solver as well."]
        * ("show_choices" in config.given and "solver" not in config.given)
    )


def _shaped(task: Task, config: BenchmarkConfig, *, hidden: bool) -> MemoryDataset:
    """Return the task's samples as they are to be asked; `hidden`: the solver does not show their choices."""
    samples = [sample.model_copy() for sample in task.dataset]
    if hidden and config.show_choices is not False and asks_for_letters(samples):
        for sample in samples:
            show_options(sample)
    categories = [_category(sample, config.sampling_by or "") for sample in samples] if config.sampling else None
    return MemoryDataset(shaped(samples, categories, config), name=task.dataset.name, location=task.dataset.location)


def _category(sample: Sample, name: str) -> Hashable:
    metadata = sample.metadata or {}
    if name not in metadata or isinstance(metadata[name], list | dict):
        known = ", ".join(metadata) or "none"
        raise DataError(
            f"the sample {sample.id!r} has no category under {name!r}, which sampling_by names; it has {known}."
        )
    category: Hashable = metadata[name]
    return category


def _provenance(benchmark: Benchmark) -> dict[str, Any]:
    return {"benchmark": benchmark.key, "distribution": benchmark.distribution, "version": benchmark.version}
