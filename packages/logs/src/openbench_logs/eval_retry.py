"""Resumes logged runs: the run of each log or, for a log without one, a run created from its samples."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog

from openbench.errors import LogError, UsageError
from openbench.run import progress
from openbench.run.executor import Executor, Result
from openbench.run.inspect_eval import stdout_to_stderr
from openbench.run.journal import JournalWriter
from openbench.run.logs import check_log_dir, read_log
from openbench.run.paths import absolute, resolve
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, options_of
from openbench.run.resume import resume_plan
from openbench.run.run_directory import RecordedJob, RunDirectory
from openbench.tasks.provenance import Provenance
from openbench_logs.rescore import logged_spec


@dataclass
class _Resumed:
    """A run, the jobs to resume, and the directory of their logs."""

    directory: RunDirectory
    log_dir: str
    made: bool
    jobs: set[str] = field(default_factory=set)


def resume_logs(
    paths: Sequence[str],
    executor_of: Callable[[RunDirectory], Executor],
    execute: Callable[[Executor, Plan], Sequence[Result]],
    *,
    options: Mapping[str, Any],
    rerun_changed: bool = False,
) -> list[Result]:
    """Resume logged runs; completed samples are reused, failed and missing ones run.

    All logs are read before the first run is resumed. Those of one run are resumed together.

    Args:
        paths: The logs.
        executor_of: Creates the executor of a run.
        execute: Runs a plan.
        options: Fields of `EvalOptions` and `GenerateOptions` that replace the logged ones.
        rerun_changed: Whether changed samples are rerun.
    """
    with stdout_to_stderr():
        check_log_dir(options.get("log_dir"))
        logs = [_log_of_ours(path) for path in dict.fromkeys(paths)]
    todo = [log for log in logs if log.status != "success" or any(sample.error for sample in log.samples or ())]
    complete = [f"{log.location} is complete: there is nothing to resume." for log in logs if log not in todo]
    if not todo:
        raise UsageError(complete[0])
    for message in complete:
        progress.note(message)
    results: list[Result] = []
    for run in _runs_of(todo):
        with _removed_if_refused(run):
            executor = executor_of(run.directory)
            plan = resume_plan(
                executor.find_again,
                run.directory,
                overrides={"log_dir": run.log_dir, **options},
                jobs=run.jobs,
                rerun_changed=rerun_changed,
            )
            results += execute(executor, plan)
    return results


def _log_of_ours(path: str) -> EvalLog:
    log = read_log(path)
    own = Provenance.of(log)
    if not (own.job and own.reference and own.identity):
        raise LogError(f"{path} was not written by bench eval. Use inspect eval-retry.")
    log.location = path
    return log


def _runs_of(logs: Sequence[EvalLog]) -> list[_Resumed]:
    """Return the runs of logs; a run is created for each log whose recorded run does not exist."""
    found: dict[tuple[str, str], _Resumed] = {}
    for log in logs:
        folder, own = absolute(log.location).rpartition("/")[0], Provenance.of(log)
        path = resolve(folder, own.run) if own.run else ""
        if path and Path(path).is_dir():
            run = found.setdefault((path, folder), _Resumed(RunDirectory.open(Path(path)), folder, made=False))
        else:
            run = found[log.location, folder] = _Resumed(RunDirectory.create(folder), folder, made=True)
            _fill(run.directory, log)
        run.jobs.add(_newest(run.directory, own.job))
    return [*found.values()]


@contextmanager
def _removed_if_refused(run: _Resumed) -> Iterator[None]:
    try:
        yield
    except UsageError:
        if run.made:
            shutil.rmtree(run.directory.path)
        raise


def _fill(directory: RunDirectory, log: EvalLog) -> None:
    """Create a run from a log: its plan, and its completed samples."""
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
            if not isinstance(model, list) and role in given  # a task sets its own models itself
        },
        options=options_of(EvalOptions, spec.config.model_dump(exclude_none=True)),
        generate=options_of(GenerateOptions, spec.model_generate_config.model_dump(exclude_none=True)),
        executor=own.plan.get("executor", ()),
    )


def _newest(directory: RunDirectory, job: str) -> str:
    """Return the id of the job that last replaced a job, or the job's own."""
    replaced = {record.replaces: record.id for record in directory.job_records()}
    while job in replaced:
        job = replaced[job]
    return job
