"""Makes a plan from the names and options that a user gives, and reports mistakes before anything runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from openbench.errors import UnimportableError, UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import Benchmark, resolve_reference
from openbench.registry.discovery import SUITES, by_name, perhaps_left_out
from openbench.registry.plugin_loader import load_function
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
            suite, members = load_suites("select", group.key)(executor, group)
            suites.append(suite)
            found |= {benchmark.reference: benchmark for benchmark in members}
        else:
            try:
                benchmarks = resolve_reference(executor.catalog, name, executor.find, executor.find_path)
            except UnimportableError:
                if len(names) == 1:
                    raise
                benchmarks = [_unimportable(Path(name))]
            found |= {benchmark.reference: benchmark for benchmark in benchmarks}
    for benchmark in found.values():
        if benchmark.metadata.is_alpha and not alpha:
            raise UsageError(f"{benchmark.key} is experimental. Run it with --alpha.")
    return Selection(list(found.values()), suites)


def _unimportable(path: Path) -> Benchmark:
    """Return a placeholder for a local eval that cannot be imported: its job fails, and the others run."""
    return Benchmark(path.stem, BenchmarkMetadata(path.stem, "", "", [], "", ""), path=path)


def load_suites(function: str, suite: str) -> Callable[..., Any]:
    """Load `select` or `summarize` of openbench-suites, for a suite that the user named."""
    if found := by_name(SUITES).get(function):
        return load_function(suite, found)
    needed = "openbench-suites"
    raise UsageError(f"{suite}: suites come with {needed}: pip install {needed}{perhaps_left_out()}")


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
