"""Make a plan from the names and options that a user gives, and report mistakes before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openbench.errors import UnimportableError, UnknownNameError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import Benchmark, resolve_reference
from openbench.registry.catalog import Group
from openbench.run.arguments import task_arguments
from openbench.run.engine import check_engine_name
from openbench.run.executor import Executor
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, Suite
from openbench.scorers.grading import GRADER_ROLE

CANDIDATE_ROLE = "candidate"
BASELINE_ROLE = (GRADER_ROLE, ModelSpec(name="baseline/grader"))
"""The default grader of a baseline."""


@dataclass(frozen=True)
class Selection:
    """The benchmarks and groups that a user named."""

    benchmarks: Sequence[Benchmark]
    suites: Sequence[Suite] = ()


def select(executor: Executor, names: Sequence[str], *, alpha: bool) -> Selection:
    """Find the benchmarks of names, groups and paths, each once.

    Raises:
        UsageError: A name is unknown or ambiguous, no member of a group is installed, or a benchmark is experimental
            and `alpha` is not given.
    """
    found: dict[str, Benchmark] = {}
    suites = []
    for name in names:
        group = executor.catalog.group(name)
        if group:
            members = _members(executor, group)
            suites.append(_suite(group, members))
            found |= {benchmark.reference: benchmark for benchmark in members.values() if benchmark}
        else:
            try:
                meant = resolve_reference(executor.catalog, name, executor.find, executor.find_path)
            except UnimportableError:
                if len(names) == 1:
                    raise
                meant = [_unimportable(Path(name))]
            found |= {benchmark.reference: benchmark for benchmark in meant}
    for benchmark in found.values():
        if benchmark.metadata.is_alpha and not alpha:
            raise UsageError(f"{benchmark.key} is experimental. Run it with --alpha.")
    return Selection(list(found.values()), suites)


def _unimportable(path: Path) -> Benchmark:
    """Return a placeholder for a local eval that cannot be imported: its job fails, and the others run."""
    return Benchmark(path.stem, BenchmarkMetadata(path.stem, "", "", [], "", ""), path=path)


def _members(executor: Executor, group: Group) -> dict[str, Benchmark | None]:
    """Find the members of a group, each once; None for one that is not installed. Paths cannot be members."""
    members: dict[str, Benchmark | None] = {}
    for name in group.value.benchmarks:
        if executor.catalog.group(name):
            raise UsageError(f"{group.key}: its member {name} is a suite, and suites contain only benchmarks.")
        try:
            versions = executor.find(name)
        except UnknownNameError:
            members[name] = None
            continue
        if versions[0].reference in {found.reference for found in members.values() if found}:
            continue
        if len(versions) > 1:
            raise UsageError(
                f"{group.key}: its member {name} was requested in {len(versions)} versions. Run it by itself."
            )
        members[name] = versions[0]
    if not any(members.values()):
        raise UsageError(
            f"{group.key}: no member of this group, provided by {group}, is installed: "
            f"{', '.join(members) or 'it has none'}."
        )
    if len({benchmark.metadata.higher_is_better for benchmark in members.values() if benchmark}) > 1:
        raise UsageError(
            f"{group.key}: higher is better for some members of this group, provided by {group}, and worse for others, "
            f"so their mean is meaningless. Run them by name: {' '.join(members)}."
        )
    return members


def _suite(group: Group, members: Mapping[str, Benchmark | None]) -> Suite:
    return Suite(
        key=group.key,
        distribution=group.distribution,
        version=group.version,
        members={name: benchmark.reference for name, benchmark in members.items() if benchmark},
        missing=[name for name, benchmark in members.items() if benchmark is None],
    )


def make_plan(
    selection: Selection,
    models: Sequence[ModelSpec],
    *,
    task_args: Mapping[str, Any],
    parse: bool = True,
    roles: Mapping[str, ModelSpec],
    baseline: str | None = None,
    baseline_args: Mapping[str, Any] | None = None,
    sample: bool = False,
    options: EvalOptions,
    generate: GenerateOptions,
    engine: str = "auto",
    processes: int | None = None,
) -> Plan:
    """Plan every benchmark on every model, `candidate` among the roles being one; a baseline replaces all.

    Raises:
        UsageError: There is no model to evaluate, a name is wrong, or no benchmark takes an argument.
    """
    if models and CANDIDATE_ROLE in roles:
        raise UsageError(
            "--model and --model-role candidate=MODEL both name the model to evaluate; use one of the two."
        )
    candidates = [*models, *([roles[CANDIDATE_ROLE]] if CANDIDATE_ROLE in roles else [])]
    others = {role: _with_base_url(spec, candidates) for role, spec in roles.items() if role != CANDIDATE_ROLE}
    if baseline:
        if candidates:
            raise UsageError("--baseline replaces --model; use one of the two.")
        candidates = [ModelSpec(name=f"baseline/{baseline}", args=baseline_args or {})]
        others.setdefault(*BASELINE_ROLE)
    if not candidates:
        raise UsageError("No model to evaluate: use --model provider/model, or --baseline reference for a check.")
    for model in (*candidates, *others.values()):
        _ = model.provider  # raises for a name without one
    check_engine_name(engine)
    arguments = task_arguments(selection.benchmarks, task_args, parse=parse)
    jobs = [
        _job(benchmark, args, model)
        for model in candidates
        for benchmark, args in zip(selection.benchmarks, arguments, strict=True)
    ]
    return Plan(
        jobs=jobs,
        sample=sample,
        reference=baseline == "reference",
        model_roles=others,
        options=options,
        generate=generate,
        engine=engine,
        processes=processes,
        suites=selection.suites,
    )


def _with_base_url(spec: ModelSpec, models: Sequence[ModelSpec]) -> ModelSpec:
    """Return a role's model with the base URL that was given for a model of the same provider."""
    same = (model.base_url for model in models if _provider(model.name) == _provider(spec.name))
    return replace(spec, base_url=spec.base_url or next(same, None))


def _provider(name: str) -> str:
    """Return the provider in a model's name, which for `openai-api/<service>/<model>` includes the service."""
    return "/".join(name.split("/")[: 2 if name.startswith("openai-api/") else 1])


def _job(benchmark: Benchmark, task_args: Mapping[str, Any], model: ModelSpec) -> Job:
    resolution = benchmark.resolution
    return Job(
        benchmark=benchmark.reference,
        task_args=task_args,
        model=model,
        rule=resolution.rule if resolution else "path",
        in_place_of=[str(other) for other in resolution.overridden] if resolution else [],
        # The placeholder of `_unimportable` is not passed on, so its job fails when it looks for the benchmark again.
        resolved=benchmark if benchmark.metadata.module_path else None,
    )
