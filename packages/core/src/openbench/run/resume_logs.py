"""Resumes logged runs: the run of each log or, for a log without one, a run that is made of its samples."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.registry.catalog import Catalog
from openbench.run import progress
from openbench.run.build_job import build_job
from openbench.run.executor import Executor, Result
from openbench.run.inspect_eval import stdout_to_stderr
from openbench.run.journal import JournalWriter
from openbench.run.logs import check_log_dir, logged_spec, read_log
from openbench.run.models import make_model, make_roles
from openbench.run.paths import absolute, resolve
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan
from openbench.run.resume import NotComparableError, match_jobs, resume_plan, with_overrides
from openbench.run.run_directory import RecordedJob, RunDirectory
from openbench.tasks.provenance import Provenance


def resume_logs(
    paths: Sequence[str],
    executor_of: Callable[[RunDirectory], Executor],
    execute: Callable[[Executor, Plan], Sequence[Result]],
    *,
    options: Mapping[str, Any],
    rerun_changed: bool = False,
) -> list[Result]:
    """Resume logged runs; completed samples are reused, failed and missing ones run.

    All logs are checked before the first is resumed.

    Args:
        paths: The logs.
        executor_of: Makes the executor that a run had.
        execute: Runs a plan.
        options: Fields of `EvalOptions` and `GenerateOptions` that replace the logged ones.
        rerun_changed: Whether samples that have changed since are run again, too.
    """
    made: list[RunDirectory] = []
    todo: dict[str, tuple[Executor, Plan]] = {}
    complete: list[str] = []
    with stdout_to_stderr():
        check_log_dir(options.get("log_dir"))
        try:
            for path in dict.fromkeys(paths):
                log = _log_of_ours(path)
                if log.status == "success" and not any(sample.error for sample in log.samples or ()):
                    complete.append(f"{path} is complete: there is nothing to run again.")
                    continue
                given = {"log_dir": _folder(log), **options}
                directory = _own_run(log)
                if directory is None:
                    directory = RunDirectory.create(given["log_dir"])
                    made.append(directory)
                    _fill(directory, log)
                executor, job = executor_of(directory), directory.newest(Provenance.of(log).job)
                todo[path] = (
                    executor,
                    resume_plan(
                        executor.find_again,
                        directory,
                        overrides=given,
                        jobs={job},
                        rerun_changed=rerun_changed,
                        name=path,
                    ),
                )
            if not todo:
                raise UsageError(complete[0])
            for path, (executor, plan) in todo.items():
                if not executor.elsewhere:
                    _check(executor.catalog, path, plan)
        except OpenbenchError:
            for directory in made:
                shutil.rmtree(directory.path)
            raise
        for message in complete:
            progress.note(message)
        return [result for executor, plan in todo.values() for result in execute(executor, plan)]


def _log_of_ours(path: str) -> EvalLog:
    log = read_log(path)
    own = Provenance.of(log)
    if not (own.job and own.reference and own.identity):
        raise LogError(f"{path} was not written by bench eval. Use inspect eval-retry.")
    return log


def _check(catalog: Catalog, path: str, plan: Plan) -> None:
    """Check what executing a plan would check, with the log's name in the error."""
    generate = GenerateConfig(**plan.generate)
    roles = make_roles(plan)
    tasks = [build_job(catalog, plan, job, make_model(job.model, generate), roles) for job in plan.jobs]
    try:
        match_jobs(RunDirectory(Path(plan.resume or "")), plan, tasks)
    except NotComparableError as error:
        raise NotComparableError(path, error.changed, hint=error.hint) from error


def _own_run(log: EvalLog) -> RunDirectory | None:
    """Return the run of a log, if it still is where the log says."""
    run = Provenance.of(log).run
    path = Path(resolve(_folder(log), run)) if run else None
    return RunDirectory.open(path) if path and path.is_dir() else None


def _fill(directory: RunDirectory, log: EvalLog) -> None:
    """Make a run of a log: its plan, and its completed samples."""
    own = Provenance.of(log)
    job = RecordedJob(
        id=own.job, benchmark=own.reference, model=log.eval.model, identity=dict(own.identity), replaces=None
    )
    with directory.locked(), JournalWriter(directory.path) as writer:
        directory.add_plan(_plan_of(log))
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
    given = own.plan.get("model_roles", spec.model_roles or {})
    return Plan(
        jobs=[job],
        sample=own.sample,
        reference=own.identity.get("reference", False),
        model_roles={
            role: logged_spec(log, role, model)
            for role, model in (spec.model_roles or {}).items()
            if not isinstance(model, list) and role in given  # a task sets its own again
        },
        options=with_overrides(EvalOptions, {}, spec.config.model_dump(exclude_none=True)),
        generate=with_overrides(GenerateOptions, {}, spec.model_generate_config.model_dump(exclude_none=True)),
        executor=own.plan.get("executor", ()),
    )


def _folder(log: EvalLog) -> str:
    return absolute(log.location).rpartition("/")[0]
