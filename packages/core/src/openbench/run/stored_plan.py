"""Makes the plan that continues a run of what its directory holds."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from openbench.errors import UsageError
from openbench.redaction import REDACTED
from openbench.registry.benchmark import Benchmark
from openbench.registry.names import is_path
from openbench.run.identity import answer_args
from openbench.run.paths import is_remote
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.run.run_directory import RUNS, RecordedJob, RunDirectory

Find = Callable[[str, str | None], Benchmark]


@dataclass(frozen=True)
class _Found:
    """A job of a run, and what is recorded of it: nothing, if no command came that far."""

    job: Job
    recorded: RecordedJob | None


def resume_plan(
    find: Find,
    directory: RunDirectory,
    *,
    given: Mapping[str, Any],
    jobs: Collection[str] | None = None,
    rerun_changed: bool = False,
    name: str | None = None,
) -> Plan:
    """Return the plan that runs what is missing of a run.

    Args:
        find: Finds the benchmark of a job, as `Executor.find_again` does.
        directory: The run.
        given: Fields of `EvalOptions` and `GenerateOptions` that take the place of the run's own.
        jobs: The ids of the jobs to continue; by default all, with those that were planned and never begun.
        rerun_changed: Whether samples that have changed since are run again.
        name: What errors call the run; by default its path.

    Raises:
        UsageError: A benchmark is not there any more, or no longer takes an argument that it had; or an argument or
            an address holds a secret.
        LogError: The run is damaged.
    """
    name = name or str(directory.path)
    plans = directory.plans()
    newest = plans[-1]
    return replace(
        newest,
        jobs=[_continued(find, name, found) for found in _found(directory, plans, jobs)],
        model_roles={role: _without_secrets(spec, name) for role, spec in newest.model_roles.items()},
        options=with_overrides(EvalOptions, {**newest.options, "log_dir": log_dir_of(directory, newest)}, given),
        generate=with_overrides(GenerateOptions, newest.generate, given),
        suites=next((plan.suites for plan in reversed(plans) if plan.suites), ()) if jobs is None else (),
        resume=str(directory.path),
        rerun_changed=rerun_changed,
        run=None,
    )


def with_overrides(kind: Any, own: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    """Return the options of a kind, with those that are given in the place of own ones."""
    return kind(**{**own, **{name: value for name, value in given.items() if name in kind.__annotations__}})


def _found(directory: RunDirectory, plans: Sequence[Plan], jobs: Collection[str] | None) -> list[_Found]:
    recorded = directory.jobs()
    wanted = [each for each in recorded if jobs is None or each.id in jobs]
    found = [_Found(job, each) for each in wanted if (job := _planned(each, plans))]
    if jobs is None:
        found += [_Found(job, None) for job in unstarted_jobs(plans, directory.recorded())]
    return found


def unstarted_jobs(plans: Sequence[Plan], recorded: Sequence[RecordedJob]) -> list[Job]:
    """Return the jobs that were planned and not recorded: their rows could not be had, or a crash came first.

    Args:
        plans: The plans of a run.
        recorded: All that it recorded of jobs.
    """
    begun = [job for each in recorded for plan in plans if (job := _planned(each, [plan]))]
    planned = {(job.benchmark, job.model.name): job for plan in plans for job in plan.jobs}
    return [job for job in planned.values() if not any(_same(job, other) for other in begun)]


def _same(job: Job, other: Job) -> bool:
    return (job.benchmark, job.model.name) == (other.benchmark, other.model.name)


def _planned(recorded: RecordedJob, plans: Sequence[Plan]) -> Job | None:
    """Return the newest plan's job that was recorded; of a version of its own, if it is planned in several."""
    names = {recorded.benchmark, f"{recorded.benchmark}=={recorded.identity.get('version')}"}
    for plan in reversed(plans):
        own = [job for job in plan.jobs if job.benchmark in names]
        named = [job for job in own if job.model.name == recorded.model]
        if named or len(own) == 1:
            return (named or own)[0]
    return None


def _continued(find: Find, name: str, found: _Found) -> Job:
    """Return a job with what finds its benchmark now."""
    job, identity = found.job, found.recorded.identity if found.recorded else {}
    try:
        benchmark = find(job.benchmark, identity.get("version"))
    except UsageError as error:
        raise UsageError(f"{name} cannot be continued: {error}{_way_out(job, identity)}") from error
    signature = benchmark.signature()
    if gone := [argument for argument in job.task_args if signature and not signature.accepts(argument)]:
        raise UsageError(
            f"{name} cannot be continued: {benchmark.key} no longer takes {', '.join(gone)}. Run bench eval again."
        )
    if hidden := [argument for argument, value in job.task_args.items() if REDACTED in str(value)]:
        raise UsageError(
            f"{name}: -T {hidden[0]} is a secret, which was not kept. Give the whole command of the run, with --resume."
        )
    return replace(job, benchmark=benchmark.reference, resolved=benchmark, model=_without_secrets(job.model, name))


def _way_out(job: Job, identity: Mapping[str, Any]) -> str:
    if is_path(job.benchmark):
        return " If it lies elsewhere now, give the whole command of the run, with --resume."
    if identity.get("distribution"):
        return f"\nIt ran with {identity['distribution']} {identity['version']}: install that, or run bench eval again."
    return ""


def log_dir_of(directory: RunDirectory, plan: Plan) -> str:
    """Return where logs go: where they went if that is remote, else beside the run, since they are moved together."""
    before = plan.options.get("log_dir", "")
    folder = directory.path.parent
    return before if is_remote(before) else str(folder.parent if folder.name == RUNS else folder)


def _without_secrets(spec: ModelSpec, name: str) -> ModelSpec:
    """Leave out the arguments that were not kept: the provider looks for its key where it always does."""
    if REDACTED in (spec.base_url or ""):
        raise UsageError(
            f"{name}: the address of {spec.name} holds a secret, which was not kept. Give the whole command of the "
            "run, with --resume."
        )
    if hidden := [key for key, value in answer_args(spec.args).items() if REDACTED in str(value)]:
        raise UsageError(
            f"{name}: -M {hidden[0]} of {spec.name} holds a secret, which was not kept. Give the whole command of the "
            "run, with --resume."
        )
    return replace(spec, args={key: value for key, value in spec.args.items() if REDACTED not in str(value)})
