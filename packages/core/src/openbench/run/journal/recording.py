"""What a command records of the plan that it runs: the run's directory, its journals, and what need not run again."""

import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click
from inspect_ai import Task
from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, UsageError
from openbench.run import progress
from openbench.run.collecting import uncollected
from openbench.run.journal.assemble import assemble, json_of
from openbench.run.journal.counting import Recording, Told
from openbench.run.journal.directory import RunDirectory
from openbench.run.journal.journal import Samples, answered, read_journal
from openbench.run.journal.results import Scoring, scoring_of
from openbench.run.journal.resume import Match, job_of, match, recorded_job
from openbench.run.journal.writer import JournalWriter
from openbench.run.locations import absolute, is_remote, relative_to, shown
from openbench.run.logs import DEFAULT_LOG_DIR, logs_of_jobs, read_log, write_log
from openbench.run.plan import EvalOptions, Plan
from openbench.run.planned import Key, planned
from openbench.run.prepare import job_id
from openbench.run.redaction import redact_written
from openbench.run.usage import running_seconds
from openbench.tasks import provenance
from openbench.tasks.provenance import Provenance

_MOST_NAMED = 20
"""Samples that are named, of those that run again since a journal is damaged."""


class RunRecording(Recording):
    """A plan that is being run and recorded by this command: the one place where its samples are counted.

    While a run is resumed, its plan puts the logs that engines make, which hold a part of the samples, into a directory
    that does not last.

    Attributes:
        directory: The run.
        writer: Writes the journals.
        log_dir: Where logs are put.
        resumed: Whether an earlier command ran a part: then all logs are assembled from the journals by `logs`.
        keep_samples: Whether these logs keep their samples.
        whole: By job, the logs of jobs of which nothing is missing.
        scoring: By job, what makes results of its scores.
    """

    def __init__(
        self,
        plan: Plan,
        directory: RunDirectory,
        writer: JournalWriter,
        log_dir: str,
        *,
        resumed: bool = False,
        keep_samples: bool = True,
    ) -> None:
        """Record a plan."""
        super().__init__(plan)
        self.directory = directory
        self.writer = writer
        self.log_dir = log_dir
        self.resumed = resumed
        self.keep_samples = keep_samples
        self.whole: dict[str, EvalLog] = {}
        self.scoring: dict[str, Scoring] = {}

    def begin(self, job: str, header: EvalLog) -> None:
        """Say that a job begins; see `Recording`."""
        super().begin(job, header)
        self.writer.start(job, header)
        progress.planned(header.eval, self._begun[job].left)

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended; see `Recording`."""
        self.writer.append(job, sample)
        error = sample.error.model_dump() if sample.error else None
        return self._count(Told(job, (sample.id, sample.epoch), self.figures(job, sample), error))

    def heard(self, told: Told) -> bool:
        """Record a sample that ended in another process.

        Returns:
            Whether the job goes on, as `ended` does.

        Raises:
            LogError: Its line of the journal is damaged, or cannot be written.
        """
        if told.line is not None:
            self.writer.append_line(told.job, told.key, told.line)
        return self._count(told)

    def _count(self, told: Told) -> bool:
        progress.sample_done(told.figures)
        job = self._begun[told.job]
        job.count(told.error)
        if job.error:
            self.give_up(told.job)
        return self.goes_on(told.job)

    def logs(self, ran: Mapping[str, EvalLog]) -> dict[str, EvalLog]:
        """Return the logs of all jobs, written, after noting where they are.

        Args:
            ran: The logs of those that ran, or their outcomes. Of a run that is resumed, status and error count.

        Raises:
            LogError: A journal or log could not be written or read.
        """
        if failure := self.failure or self.writer.failure:
            raise failure
        logs: dict[str, EvalLog] = {}
        try:
            with uncollected():
                for job, log in ran.items():
                    logs[job] = self._written(job, log)
        finally:  # after all of them, since what the run's files hold is read for each
            if logs:
                self.directory.add_logs({job: log.location for job, log in logs.items()})
        return {**self.whole, **logs}

    def _written(self, job: str, outcome: EvalLog) -> EvalLog:
        """Return the log of a job: the one that its engine has written, or one of its journal."""
        begun = self._begun.get(job)
        if not self.resumed and begun and begun.header is not outcome:
            if not self.keep_samples:
                provenance.record(outcome, seconds=running_seconds(read_journal(self.directory, job).read()))
            return redact_written(outcome)
        log = assemble(self.directory, job, outcome=outcome, scoring=self.scoring.get(job))
        suffix = self.plan.options.get("log_format", "json")
        log.location = f"{absolute(self.log_dir)}/{Path(outcome.location).stem}.{suffix}"
        if not self.keep_samples:
            if Provenance.of(log).seconds is None:
                provenance.record(log, seconds=running_seconds(log.samples or ()))
            log.samples, log.eval.config.log_samples = None, False
        many = isinstance(log.samples, Samples)
        if many and suffix != "json":  # inspect takes a list
            log.samples, many = list(log.samples or ()), False
        try:
            write_log(log, log.location, json_of(log) if many else None)
        except LogError as error:
            elsewhere = f"--log-dir {DEFAULT_LOG_DIR} " if is_remote(log.location) else ""
            way_out = "reach it again, or put it elsewhere" if elsewhere else "make room"
            raise LogError(
                f"{error}. Every sample is recorded: {way_out}, and continue with bench eval {elsewhere}--resume "
                f"{self.directory.path}"
            ) from error
        return log


@contextmanager
def record(plan: Plan, tasks: Sequence[Task]) -> Iterator[RunRecording]:
    """Record a plan while the context lasts, as a new run or as more of an earlier one.

    Args:
        plan: The plan.
        tasks: Its tasks, as `openbench.run.prepare.prepare` made them ready. Their metadata gets the run, and the job
            that they continue.

    Raises:
        UsageError: The run cannot be recorded, or may not be continued by these tasks.
        LogError: What is recorded is damaged.
    """
    log_dir = plan.options.get("log_dir", DEFAULT_LOG_DIR)
    directory = RunDirectory.open(Path(plan.resume)) if plan.resume else RunDirectory.create(log_dir, plan.run)
    with directory.locked(), JournalWriter(directory.path) as writer, tempfile.TemporaryDirectory() as aside:
        keep_samples = plan.options.get("log_samples", True)
        if plan.resume:
            # Its engines' logs need their samples, whatever the log is to hold: inspect skips none without.
            options: EvalOptions = {**plan.options, "log_dir": aside, "log_samples": True}
            part = replace(plan, options=options)
            recording = RunRecording(part, directory, writer, log_dir, resumed=True, keep_samples=keep_samples)
            _continue(recording, plan, tasks)
        else:
            recording = RunRecording(plan, directory, writer, log_dir, keep_samples=keep_samples)
            directory.add_plan(plan.whole or plan)
            if is_remote(log_dir):  # where nothing tells of the run until it ends
                click.echo(f"The run is recorded in {shown(str(directory.path))}", err=True)
            directory.add_jobs(*map(recorded_job, tasks))
        for task in tasks:
            provenance.record(task, run=relative_to(log_dir, str(directory.path)))
        recording.scoring = {job_id(task): scoring_of(task, plan) for task in tasks}
        try:
            yield recording
        except KeyboardInterrupt:  # an impatient one, which leaves no log
            click.echo(f"Continue with: bench eval --resume {shlex.quote(str(directory.path))}", err=True)
            raise


def _continue(recording: RunRecording, plan: Plan, tasks: Sequence[Task]) -> None:
    directory = recording.directory
    matches = match(directory, plan, tasks)
    for each in matches:
        job = job_of(directory, each)
        provenance.record(each.task, job=job.id)
        damage: list[str] = []
        done = answered(directory, job.id, damage=damage.append)
        for message in damage:
            click.echo(f"bench: {message}", err=True)
        wanted = planned(each.task, plan)
        recording.done[job.id] = done.keys() & set(wanted)
        missing = [key for key in wanted if key not in done]
        if not missing and (log := _existing(recording, job.id, wanted)):
            recording.whole[job.id] = log
        _announce(each, len(wanted), missing, name=bool(damage))
    if len(recording.whole) < len(tasks):
        directory.add_plan(plan.whole or plan)


def _announce(found: Match, wanted: int, missing: Sequence[Key], *, name: bool) -> None:
    why = f" ({found.differences})" if found.changed else ""
    rest = ", the others are recorded" if len(missing) < wanted else ""
    ids = list(dict.fromkeys(str(id_) for id_, _ in missing)) if name and rest else []
    rest += f": {', '.join(ids[:_MOST_NAMED])}{', …' if ids[_MOST_NAMED:] else ''}" if ids else ""
    state = f"{len(missing)} of {wanted} samples run{rest}" if missing else "complete: no sample runs"
    click.echo(f"{found.benchmark}: {state}{why}", err=True)


def _existing(recording: RunRecording, job: str, wanted: Sequence[Key]) -> EvalLog | None:
    """Return the log of a job, if it holds what is wanted and nothing else."""
    log: EvalLog | None = None
    if location := recording.directory.logs().get(job):
        with suppress(LogError, UsageError):  # it is gone or damaged
            log = read_log(location)
    if log is None:  # it may have another name by now
        log = logs_of_jobs(recording.log_dir, {job}, since=0).get(job)
    held = {(sample.id, sample.epoch) for sample in (log.samples if log else None) or () if not sample.error}
    return redact_written(log) if log and log.status == "success" and held == set(wanted) else None
