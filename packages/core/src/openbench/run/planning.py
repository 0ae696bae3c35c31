"""From the names that a user gives to a plan: every mistake that can be known is found here."""

from collections.abc import Mapping, Sequence
from typing import Any

from openbench.benchmark import Benchmark, find_benchmark
from openbench.catalog import Catalog
from openbench.errors import UsageError
from openbench.run.arguments import task_arguments
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.scorers.model_graded import GRADER_ROLE

CANDIDATE_ROLE = "candidate"


def find_benchmarks(catalog: Catalog, names: Sequence[str], *, alpha: bool) -> list[Benchmark]:
    """Find the benchmarks that names, groups and paths mean, each once.

    Raises:
        UsageError: A name means none or several, or an experimental one without `alpha`.
    """
    found = {
        benchmark.reference: benchmark
        for name in catalog.expand(names)
        for benchmark in [find_benchmark(catalog, name)]
    }
    for benchmark in found.values():
        if benchmark.metadata.is_alpha and not alpha:
            raise UsageError(f"{benchmark.key} is experimental. Run it with --alpha.")
    return list(found.values())


def make_plan(
    benchmarks: Sequence[Benchmark],
    models: Sequence[ModelSpec],
    *,
    task_args: Mapping[str, str],
    roles: Mapping[str, ModelSpec],
    baseline: str | None = None,
    baseline_args: Mapping[str, Any] | None = None,
    sample: bool = False,
    options: EvalOptions,
    generate: GenerateOptions,
) -> Plan:
    """Make the plan of every benchmark on every model.

    Args:
        benchmarks: The benchmarks.
        models: The models.
        task_args: Arguments of the tasks, as typed.
        roles: Models by role; `candidate` is one more model to evaluate.
        baseline: A baseline in place of models; a grader that is not given is one of exact matches.
        baseline_args: The baseline's arguments.
        sample: Whether packages' own sample rows are used.
        options: How samples are run and logged.
        generate: How models generate.

    Raises:
        UsageError: There is no model to evaluate, or an argument fits no benchmark.
    """
    candidates = [*models, *([roles[CANDIDATE_ROLE]] if CANDIDATE_ROLE in roles else [])]
    others = {role: spec for role, spec in roles.items() if role != CANDIDATE_ROLE}
    if baseline:
        if candidates:
            raise UsageError("--baseline takes the place of a model; give one of the two.")
        candidates = [ModelSpec(name=f"baseline/{baseline}", args=baseline_args or {})]
        others.setdefault(GRADER_ROLE, ModelSpec(name="baseline/grader"))
    if not candidates:
        raise UsageError("Say which model to evaluate: --model provider/model, or --baseline reference for a check.")
    arguments = task_arguments(benchmarks, task_args)
    jobs = [
        Job(benchmark=benchmark.reference, task_args=args, model=model)
        for model in candidates
        for benchmark, args in zip(benchmarks, arguments, strict=True)
    ]
    return Plan(
        jobs=jobs,
        sample=sample,
        reference=baseline == "reference",
        model_roles=others,
        options=options,
        generate=generate,
    )
