"""The built-in engine: Inspect's `eval()`, which runs anything and interleaves the requests of all tasks."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

import rich
from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig, Model

from openbench.errors import LogError, OpenbenchError
from openbench.run.build_job import job_id
from openbench.run.engine import Engine, Support
from openbench.run.inspect_eval import given_settings, inspect_options, run_inspect
from openbench.run.journal import Samples, read_journal
from openbench.run.log_redaction import redact_written
from openbench.run.logs import DEFAULT_LOG_DIR, LoggedSamples, logs_of_jobs, move_log, read_log, write_log
from openbench.run.paths import absolute, is_remote
from openbench.run.plan import Plan
from openbench.run.recording import RunRecording
from openbench.run.run_files import json_bytes
from openbench.run.usage import running_seconds, used_by
from openbench.tasks import provenance
from openbench.tasks.provenance import Provenance
from openbench.tasks.solvers import refusal

_EVAL = "eval"


class InspectEngine(Engine):
    """Runs all tasks in one call of `eval`, or of `eval_set` to reuse samples of an earlier command."""

    def supports(self, task: Task, plan: Plan) -> Support:
        """Refuse several processes, and tasks whose solvers need something that the model does not support."""
        if plan.processes is not None and plan.processes > 1:
            return Support("it runs in one process; several need openbench-fast")
        return Support(refusal(task, task.model) if task.model else None)

    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: RunRecording) -> Mapping[str, EvalLog]:
        """Run tasks; see `Engine`."""
        from openbench.run.hooks import recording_samples  # noqa: PLC0415

        resumed = recording.resumed
        with recording_samples(recording), tempfile.TemporaryDirectory(prefix="openbench-") as temp_dir:
            log_dir = temp_dir if resumed else recording.plan.options.get("log_dir", DEFAULT_LOG_DIR)
            logs = (
                self._resume(tasks, roles, recording, temp_dir) if resumed else self._call(tasks, roles, recording.plan)
            )
            recording.cancellation.detach()
            recording.check()
            missing = {job_id(task) for task in tasks} - set(logs)
            if missing:  # Inspect writes the logs of interrupted tasks, but does not return them
                logs |= logs_of_jobs(log_dir, missing, since=self._started)
            return {job: self._published(job, log, recording) for job, log in logs.items()}

    def _resume(
        self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: RunRecording, temp_dir: str
    ) -> dict[str, EvalLog]:
        """Let `eval_set` reuse the recorded samples, and run the missing ones.

        It reuses the samples of logs whose headers match its tasks, so each job's journal is written as such a log.
        """
        for task in tasks:
            _write_log_so_far(task, roles, recording, temp_dir)
        settings = {"log_dir": temp_dir, "log_format": _EVAL, "log_samples": True}
        display = "plain" if self.display == "conversation" else self.display
        console = rich.get_console()
        quiet, console.quiet = console.quiet, True  # `eval_set` announces that the set is complete
        try:
            return self._call(tasks, roles, recording.plan, call=_eval_set, **{**settings, "display": display})
        finally:
            console.quiet = quiet

    def _call(
        self, tasks: Sequence[Task], roles: Mapping[str, Model], plan: Plan, **changes: Any
    ) -> dict[str, EvalLog]:
        self._started = time.time()
        returned: list[EvalLog] = []
        with contextlib.suppress(asyncio.CancelledError):
            returned += run_inspect(
                list(tasks),
                **{
                    "display": self.display,
                    "model": None,
                    "model_roles": {**roles} or None,
                    **inspect_options(plan),
                    **plan.generate,
                    **changes,
                },
            )
        return {Provenance.of(log).job: log for log in returned}

    def _published(self, job: str, log: EvalLog, recording: RunRecording) -> EvalLog:
        """Return a log as published in the log directory, without secrets."""
        if recording.resumed:
            log = _resumed_log(job, log, recording)
        elif not recording.keep_samples:
            provenance.record(log, seconds=running_seconds(read_journal(recording.directory, job).read()))
        elif log.location.endswith(f".{_EVAL}") and not is_remote(log.location):
            log.samples = cast("list[EvalSample]", LoggedSamples(log))
        return redact_written(log, samples=job in recording.writer.redacted)


def _eval_set(tasks: list[Task], **options: Any) -> list[EvalLog]:
    if options.get("max_tasks") is None:
        options["max_tasks"] = 10
    _, logs = eval_set(tasks, retry_attempts=1, retry_immediate=False, log_dir_allow_dirty=True, **options)
    return logs


def begin(task: Task, plan: Plan, roles: Mapping[str, Model], **options: Any) -> EvalLog:
    """Start a task without running its samples, and return its log, which is a header alone."""
    logs = run_inspect(
        task,
        display="none",
        **{
            "model": task.model,
            "model_roles": {**(task.model_roles or {}), **roles} or None,
            "run_samples": False,
            **inspect_options(plan),
            **given_settings(task.config.merge(GenerateConfig(**plan.generate))),
            **options,
        },
    )
    if not logs:  # Inspect returns nothing when it is interrupted
        raise KeyboardInterrupt
    if error := logs[0].error:
        raise OpenbenchError(error.message)
    return logs[0]


def _write_log_so_far(task: Task, roles: Mapping[str, Model], recording: RunRecording, folder: str) -> None:
    """Write a log with the header of a task, and the samples of its journal that need not run."""
    job = job_id(task)
    with tempfile.TemporaryDirectory() as headers:
        log = begin(task, recording.plan, roles, log_dir=headers, log_format="json", log_samples=True)
    log.status, log.results = "error", None
    journal, done = read_journal(recording.directory, job), recording.done.get(job, ())
    samples = journal.read(key for key in journal.samples if key in done)
    path = Path(folder, f"{Path(log.location).stem}.json")
    with path.open("wb") as file:
        file.writelines(json_of(log, samples))


def json_of(log: EvalLog, samples: Samples) -> Iterator[bytes]:
    """Yield the JSON of a log in parts, with samples from a journal."""
    yield json_bytes(log.model_copy(update={"samples": None, "reductions": None}))[:-1] + b',"samples":['
    for number, sample in enumerate(samples.as_json()):
        yield b",\n" + sample if number else b"\n" + sample
    reductions = b"" if log.reductions is None else b',"reductions":' + json_bytes(log.reductions)
    yield b"]" + reductions + b"}"


def _resumed_log(job: str, log: EvalLog, recording: RunRecording) -> EvalLog:
    """Publish the log of a job that several commands ran, with the time and tokens of all of them."""
    suffix = recording.plan.options.get("log_format", _EVAL)
    location = f"{absolute(recording.log_dir)}/{Path(log.location).stem}.{suffix}"
    in_place = suffix == _EVAL and recording.keep_samples
    if in_place and not is_remote(location):
        log.samples = cast("list[EvalSample]", LoggedSamples(log))
    else:
        log = read_log(log.location)
    journal = read_journal(recording.directory, job)
    attempts = chain(log.samples or (), Samples([span for _, span in journal.superseded]))
    models, roles = used_by(attempts)
    log.stats.model_usage, log.stats.role_usage = dict(models), dict(roles)
    provenance.record(log, seconds=running_seconds(chain(log.samples or (), journal.read())))
    if not recording.keep_samples:
        log.samples, log.eval.config.log_samples = None, False
    try:
        if in_place:
            write_log(log, log.location, header_only=True)
            move_log(log.location, location)
        else:
            write_log(log, location)
    except LogError as error:
        raise recording.unwritable(location, error) from error
    log.location = location
    return log
