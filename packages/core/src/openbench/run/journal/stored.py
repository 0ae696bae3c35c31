"""Makes the plan that continues a run of what its directory holds."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from openbench.benchmark import find_benchmark
from openbench.catalog import Catalog
from openbench.errors import UsageError
from openbench.redaction import REDACTED
from openbench.run.journal.directory import RecordedJob, RunDirectory
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan


def stored_plan(
    catalog: Catalog,
    directory: RunDirectory,
    *,
    given: Mapping[str, Any],
    jobs: Collection[str] | None = None,
    rerun_changed: bool = False,
    name: str | None = None,
) -> Plan:
    """Return the plan that runs what is missing of a run.

    Args:
        catalog: Where benchmarks are found.
        directory: The run.
        given: Fields of `EvalOptions` and `GenerateOptions` that take the place of the run's own.
        jobs: The ids of the jobs to continue; by default all.
        rerun_changed: Whether samples that have changed since are run again.
        name: What errors call the run; by default its path.

    Raises:
        UsageError: A benchmark no longer takes an argument that it had, or an address holds a secret.
        LogError: The run is damaged.
    """
    name = name or str(directory.path)
    plans = directory.plans()
    recorded = [job for job in directory.jobs() if jobs is None or job.id in jobs]
    wanted = [job for each in recorded if (job := _planned(each, plans))]
    for job in wanted:
        _check_arguments(catalog, name, job)
    newest = plans[-1]
    here = {"log_dir": str(directory.path.parent.parent)}
    return replace(
        newest,
        jobs=[replace(job, model=_without_secrets(job.model, name)) for job in wanted],
        model_roles={role: _without_secrets(spec, name) for role, spec in newest.model_roles.items()},
        options=with_given(EvalOptions, {**newest.options, **here}, given),
        generate=with_given(GenerateOptions, newest.generate, given),
        suites=newest.suites if jobs is None else (),
        resume=str(directory.path),
        rerun_changed=rerun_changed,
    )


def with_given(kind: Any, own: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Return the options of a kind, with those that are given in the place of own ones."""
    return kind(**{**own, **{name: value for name, value in given.items() if name in kind.__annotations__}})


def _planned(recorded: RecordedJob, plans: list[Plan]) -> Job | None:
    """Return the newest plan's job that was recorded."""
    for plan in reversed(plans):
        own = [job for job in plan.jobs if job.benchmark == recorded.benchmark]
        named = [job for job in own if job.model.name == recorded.model]
        if named or len(own) == 1:
            return (named or own)[0]
    return None


def _check_arguments(catalog: Catalog, name: str, job: Job) -> None:
    benchmark = find_benchmark(catalog, job.benchmark)
    signature = benchmark.signature()
    if gone := [argument for argument in job.task_args if signature and not signature.accepts(argument)]:
        raise UsageError(
            f"{name} cannot be continued: {benchmark.key} no longer takes {', '.join(gone)}. Run bench eval again."
        )


def _without_secrets(spec: ModelSpec, name: str) -> ModelSpec:
    """Leave out the arguments that were not kept: the provider looks for its key where it always does."""
    if REDACTED in (spec.base_url or ""):
        raise UsageError(
            f"{name}: the address of {spec.name} holds a secret, which was not kept. Give the whole command of the "
            "run, with --resume."
        )
    return replace(spec, args={key: value for key, value in spec.args.items() if REDACTED not in str(value)})
