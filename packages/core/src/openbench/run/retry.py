"""Continues logged runs: each log's own run, or, of a log without one, a run that is made of its samples."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.run import progress
from openbench.run.executor import Executor, Result
from openbench.run.inspect_eval import stdout_to_stderr
from openbench.run.journal import JournalWriter
from openbench.run.locations import absolute, resolved
from openbench.run.logs import check_log_dir, logged_spec, read_log
from openbench.run.models import make_model, make_roles
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.run.prepare import prepare
from openbench.run.resume import NotComparableError, match
from openbench.run.run_directory import RecordedJob, RunDirectory
from openbench.run.stored_plan import stored_plan, with_given
from openbench.tasks.provenance import Provenance


class _CompleteError(UsageError):
    """Nothing is missing of a log."""


def retry(
    paths: Sequence[str],
    executor_of: Callable[[RunDirectory], Executor],
    execute: Callable[[Executor, Plan], Sequence[Result]],
    *,
    options: Mapping[str, Any],
    rerun_changed: bool = False,
) -> list[Result]:
    """Continue logged runs; completed samples are reused, failed and missing ones run.

    Args:
        paths: The logs.
        executor_of: Makes the executor that a run had.
        execute: Runs a plan.
        options: Fields of `EvalOptions` and `GenerateOptions` that take the place of the logged ones.
        rerun_changed: Whether samples that have changed since are run again, too.

    Returns:
        A result for each log of which something is missing, in order; the new logs are whole, with the samples that
        were reused.

    Raises:
        LogError: A log cannot be read, or was not written by `bench eval`.
        UsageError: What a log's samples depend on has changed, or nothing is missing of any log.
    """
    made: list[RunDirectory] = []
    with stdout_to_stderr():
        check_log_dir(options.get("log_dir"))
        try:
            todo: dict[str, tuple[Executor, Plan]] = {}
            complete: list[_CompleteError] = []
            for path in dict.fromkeys(paths):
                try:
                    todo[path] = _todo(executor_of, path, options, made, rerun_changed=rerun_changed)
                except _CompleteError as error:
                    complete.append(error)
            if not todo:
                raise complete[0]
            for path, (executor, plan) in todo.items():
                # All are checked before the first is continued, so that nothing is half done.
                if not executor.elsewhere:
                    _check(executor.catalog, path, plan)
        except OpenbenchError:
            for directory in made:
                shutil.rmtree(directory.path)
            raise
        for each in complete:
            progress.note(str(each))
        return [result for executor, plan in todo.values() for result in execute(executor, plan)]


def _todo(
    executor_of: Callable[[RunDirectory], Executor],
    path: str,
    options: Mapping[str, Any],
    made: list[RunDirectory],
    *,
    rerun_changed: bool,
) -> tuple[Executor, Plan]:
    log = read_log(path)
    provenance = Provenance.of(log)
    if not (provenance.job and provenance.reference and provenance.identity):
        raise LogError(f"{path} was not written by bench eval. Use inspect eval-retry.")
    if log.status == "success" and not any(sample.error for sample in log.samples or ()):
        raise _CompleteError(f"{path} is complete: there is nothing to run again.")
    given = {"log_dir": _folder(log), **options}
    directory = _own_run(log)
    if directory is None:
        directory = RunDirectory.create(given["log_dir"])
        made.append(directory)
        _fill(directory, log)
    job = directory.newest(provenance.job)
    executor = executor_of(directory)
    find = executor.find_again
    return executor, stored_plan(find, directory, given=given, jobs={job}, rerun_changed=rerun_changed, name=path)


def _check(catalog: Catalog, path: str, plan: Plan) -> None:
    """Find out what would be wrong with a plan when it is executed, and say it of the log."""
    generate = GenerateConfig(**plan.generate)
    roles = make_roles(plan)
    tasks = [prepare(catalog, plan, job, make_model(job.model, generate), roles) for job in plan.jobs]
    try:
        match(RunDirectory(Path(plan.resume or "")), plan, tasks)
    except NotComparableError as error:
        raise NotComparableError(path, error.changed, hint=error.hint) from error


def _own_run(log: EvalLog) -> RunDirectory | None:
    """Return the run that a log is of, if it still is where the log says."""
    run = Provenance.of(log).run
    path = Path(resolved(_folder(log), run)) if run else None
    return RunDirectory.open(path) if path and path.is_dir() else None


def _fill(directory: RunDirectory, log: EvalLog) -> None:
    """Make a run of a log: its plan, and those of its samples that were answered."""
    plan, own = _plan_of(log), Provenance.of(log)
    job = RecordedJob(
        id=own.job, benchmark=own.reference, model=log.eval.model, identity=dict(own.identity), replaces=None
    )
    with directory.locked(), JournalWriter(directory.path) as writer:
        directory.add_plan(plan)
        directory.add_jobs(job)
        for sample in log.samples or ():
            if not sample.error:
                writer.append(job.id, sample)


def _plan_of(log: EvalLog) -> Plan:
    own, spec = Provenance.of(log), log.eval
    job = Job(
        benchmark=own.reference,
        task_args=own.identity.get("arguments", {}),
        model=ModelSpec(name=spec.model, base_url=spec.model_base_url, args=spec.model_args),
        rule=own.rule or "chosen",
        in_place_of=own.in_place_of,
    )
    config = spec.config.model_dump(exclude_none=True)
    given = own.plan.get("model_roles", spec.model_roles or {})
    return Plan(
        jobs=[job],
        sample=own.sample,
        reference=own.identity.get("reference", False),
        model_roles={
            role: logged_spec(log, role, model)
            for role, model in (spec.model_roles or {}).items()
            if not isinstance(model, list) and role in given  # a task has its own again
        },
        options=with_given(EvalOptions, {}, config),
        generate=with_given(GenerateOptions, {}, spec.model_generate_config.model_dump(exclude_none=True)),
        executor=own.plan.get("executor", ()),
    )


def _folder(log: EvalLog) -> str:
    return absolute(log.location).rpartition("/")[0]
