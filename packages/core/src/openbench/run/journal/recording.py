"""What a command records of the plan that it runs: the run's directory, its journals, and what need not run again."""

import shlex
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
from inspect_ai import Task
from inspect_ai.log import EvalLog, write_eval_log

from openbench.errors import LogError
from openbench.run.journal.assemble import assemble
from openbench.run.journal.directory import RunDirectory, absolute, relative_to
from openbench.run.journal.journal import Key, answered
from openbench.run.journal.resume import Match, begin_again, match, planned, recorded_job, said_of
from openbench.run.journal.writer import JournalWriter
from openbench.run.logs import DEFAULT_LOG_DIR, logs_of_jobs, read_log
from openbench.run.plan import EvalOptions, Plan


@dataclass
class Recording:
    """A plan that is being run and recorded.

    Attributes:
        directory: The run.
        writer: Where engines record what ends.
        plan: The plan as engines run it. While a run is resumed, it puts the logs that engines make, which hold a part
            of the samples, into a directory that does not last.
        log_dir: Where logs are put.
        resumed: Whether an earlier command ran a part: then logs are assembled from the journals by `logs`.
        keep_samples: Whether these logs keep their samples.
        done: By job, the samples and epochs that were answered earlier: no engine runs these again.
        whole: By job, the logs of jobs of which nothing is missing.
    """

    directory: RunDirectory
    writer: JournalWriter
    plan: Plan
    log_dir: str
    resumed: bool = False
    keep_samples: bool = True
    done: dict[str, Collection[Key]] = field(default_factory=dict)
    whole: dict[str, EvalLog] = field(default_factory=dict)

    def todo(self, tasks: Sequence[Task]) -> list[Task]:
        """Return the tasks that engines are to run."""
        return [task for task in tasks if said_of(task)["job"] not in self.whole]

    def logs(self, ran: Mapping[str, EvalLog]) -> dict[str, EvalLog]:
        """Return the logs of all jobs, written, after noting where they are.

        Args:
            ran: The logs of those that engines ran; of a run that is resumed, their status and error count.

        Raises:
            LogError: A journal or log could not be written or read.
        """
        if self.writer.failure:
            raise self.writer.failure
        logs = {job: self.assembled(job, log) for job, log in ran.items()} if self.resumed else dict(ran)
        for job, log in logs.items():
            self.directory.add_log(job, log.location)
        return {**self.whole, **logs}

    def assembled(self, job: str, outcome: EvalLog) -> EvalLog:
        """Make the log of a job of its journal, and write it.

        Args:
            job: The job's id.
            outcome: What its engine says of it, as `assemble` takes it, and where its log was begun.

        Raises:
            LogError: The journal could not be read, or the log not be written.
        """
        log = assemble(self.directory, job, outcome=outcome)
        suffix = self.plan.options.get("log_format", "json")
        log.location = f"{absolute(self.log_dir)}/{Path(outcome.location).stem}.{suffix}"
        if not self.keep_samples:
            log.samples, log.eval.config.log_samples = None, False
        try:
            write_eval_log(log, log.location)
        except OSError as error:
            raise LogError(
                f"{log.location} cannot be written: {error.strerror or error}. Every sample is recorded: make room, "
                f"and continue with bench eval --resume {self.directory.path}"
            ) from error
        return log


@contextmanager
def record(plan: Plan, tasks: Sequence[Task]) -> Iterator[Recording]:
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
    directory = RunDirectory.open(Path(plan.resume)) if plan.resume else RunDirectory.create(log_dir)
    with directory.locked(), JournalWriter(directory.path) as writer, tempfile.TemporaryDirectory() as aside:
        keep_samples = plan.options.get("log_samples", True)
        if plan.resume:
            # Its engines' logs need their samples, whatever the log is to hold: inspect skips none without.
            options: EvalOptions = {**plan.options, "log_dir": aside, "log_samples": True}
            part = replace(plan, options=options)
            recording = Recording(directory, writer, part, log_dir, resumed=True, keep_samples=keep_samples)
            _continue(recording, plan, tasks)
        else:
            recording = Recording(directory, writer, plan, log_dir, keep_samples=keep_samples)
            directory.add_plan(plan)
            for task in tasks:
                directory.add_job(recorded_job(task))
        for task in tasks:
            said_of(task)["run"] = relative_to(log_dir, str(directory.path))
        try:
            yield recording
        except KeyboardInterrupt:  # an impatient one, which leaves no log
            click.echo(f"Continue with: bench eval --resume {shlex.quote(str(directory.path))}", err=True)
            raise


def _continue(recording: Recording, plan: Plan, tasks: Sequence[Task]) -> None:
    directory = recording.directory
    matches = match(directory, plan, tasks)
    for each in matches:
        job = begin_again(directory, each, recording.writer) if each.changed else each.job
        said_of(each.task)["job"] = job.id
        done = answered(directory, job.id, cut=lambda cut: click.echo(f"bench: {cut}", err=True))
        wanted = planned(each.task, plan)
        recording.done[job.id] = done.keys() & set(wanted)
        missing = len(wanted) - len(recording.done[job.id])
        if not missing and (log := _existing(recording, job.id, wanted)):
            recording.whole[job.id] = log
        _announce(each, len(wanted), missing)
    if len(recording.whole) < len(tasks):
        directory.add_plan(plan)


def _announce(found: Match, wanted: int, missing: int) -> None:
    why = f" ({found.differences})" if found.changed else ""
    state = f"{missing} of {wanted} samples run, the others are recorded" if missing else "complete: no sample runs"
    click.echo(f"{found.benchmark}: {state}{why}", err=True)


def _existing(recording: Recording, job: str, wanted: Sequence[Key]) -> EvalLog | None:
    """Return the log of a job, if it holds what is wanted and nothing else."""
    location = recording.directory.logs().get(job)
    if location and Path(location).is_file():
        log: EvalLog | None = read_log(location)
    else:  # it may have another name by now
        log = logs_of_jobs(recording.log_dir, {job}, since=0).get(job)
    held = {(sample.id, sample.epoch) for sample in (log.samples if log else None) or () if not sample.error}
    return log if log and log.status == "success" and held == set(wanted) else None
