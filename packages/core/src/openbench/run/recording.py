"""What a command records of the plan that it runs: the run's directory, its journals, and what need not run again."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError, UsageError
from openbench.run import progress
from openbench.run.cancellation import Cancellation
from openbench.run.engine import Engines, PreparedJob
from openbench.run.headline import Headline, expected_headline
from openbench.run.journal import JournalWriter
from openbench.run.log_redaction import redact_written
from openbench.run.logs import DEFAULT_LOG_DIR, logs_of_jobs, read_log
from openbench.run.paths import display_path, is_remote, relative_to
from openbench.run.plan import Plan
from openbench.run.progress import figures_of
from openbench.run.resume import Match, continue_job, match_jobs, recorded_job
from openbench.run.run_directory import RunDirectory
from openbench.run.sample_keys import SampleKey, planned_keys, spec_count
from openbench.tasks import provenance

_MOST_NAMED = 20
"""Samples that are named, of those that run again since a journal is damaged."""


class Recording(ABC):
    """Where each job that begins, and each sample that ends, is reported.

    Attributes:
        plan: The plan, as it is to run.
        done: By the id of its job, the ids and epochs of samples that are not to run.
        cancellation: Ends what runs.
        failure: Why nothing more can be recorded.
    """

    def __init__(self, plan: Plan, done: Mapping[str, Collection[SampleKey]] | None = None) -> None:
        """Prepare for jobs."""
        self.plan = plan
        self.done: dict[str, Collection[SampleKey]] = dict(done or {})
        self.cancellation = Cancellation()
        self.failure: OpenbenchError | None = None

    @abstractmethod
    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job begins.

        Args:
            job: Its id.
            header: Its log before the first sample, as Inspect's `eval(..., run_samples=False)` returns it.

        Raises:
            LogError: It cannot be recorded.
        """

    @abstractmethod
    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended, in an error or not.

        Returns:
            Whether the job goes on; where not, its other samples are given up.

        Raises:
            LogError: It cannot be recorded.
        """


class RunRecording(Recording):
    """A plan that this command runs and records.

    Attributes:
        directory: The directory of the run.
        writer: Writes the journals.
        log_dir: Where the logs go.
        resumed: Whether an earlier command ran a part of it.
        complete: By the id of its job, the logs of jobs of which nothing is missing.
    """

    def __init__(self, plan: Plan, directory: RunDirectory, writer: JournalWriter, log_dir: str) -> None:
        """Record a plan."""
        super().__init__(plan)
        self.directory = directory
        self.writer = writer
        self.log_dir = log_dir
        self.resumed = bool(plan.resume)
        self.complete: dict[str, EvalLog] = {}
        self._headlines: dict[str, Headline | None] = {}

    @property
    def keep_samples(self) -> bool:
        """Whether the logs keep their samples."""
        return self.plan.options.get("log_samples", True)

    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job begins; see `Recording`."""
        self._headlines[job] = expected_headline(header.eval)
        self.writer.start(job, header)
        progress.planned(header.eval, spec_count(header.eval) - len(self.done.get(job, ())))

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended; see `Recording`."""
        self.writer.append(job, sample)
        progress.sample_done(figures_of(sample, self._headlines[job]))
        return True

    def check(self) -> None:
        """Raise what kept something from being recorded, if anything did.

        Raises:
            OpenbenchError: A file of the run could not be written.
        """
        if failure := self.failure or self.writer.failure:
            raise failure

    def unwritable(self, location: str, error: OpenbenchError) -> LogError:
        """Return the error of a log that cannot be written while all its samples are recorded."""
        elsewhere = f"--log-dir {DEFAULT_LOG_DIR} " if is_remote(location) else ""
        way_out = "reach it again, or put it elsewhere" if elsewhere else "make room"
        return LogError(
            f"{error}. Every sample is recorded: {way_out}, and continue with bench eval {elsewhere}--resume "
            f"{self.directory.path}"
        )


@contextmanager
def record_run(plan: Plan, prepared: Sequence[PreparedJob], engines: Engines) -> Iterator[RunRecording]:
    """Record a plan while the context lasts, as a new run or as more of an earlier one.

    Args:
        plan: The plan.
        prepared: Its jobs that can run. Their tasks' provenance gets the run, and the job that they continue.
        engines: The engines, which know what is recorded.

    Raises:
        UsageError: The run cannot be recorded, or may not be continued by these jobs.
        LogError: What is recorded is damaged.
    """
    log_dir = plan.options.get("log_dir", DEFAULT_LOG_DIR)
    directory = RunDirectory.open(Path(plan.resume)) if plan.resume else RunDirectory.create(log_dir, plan.run)
    with directory.locked(), JournalWriter(directory.path) as writer:
        recording = RunRecording(plan, directory, writer, log_dir)
        if plan.resume:
            _continue(recording, plan, prepared, engines)
        else:
            directory.add_plan(plan.whole or plan)
            if is_remote(log_dir):  # nothing there shows the run until it ends
                progress.note(f"The run is recorded in {display_path(str(directory.path))}")
            directory.add_jobs(*(recorded_job(each.task) for each in prepared))
        for each in prepared:
            provenance.record(each.task, run=relative_to(log_dir, str(directory.path)))
        try:
            yield recording
        except KeyboardInterrupt:  # a second one, which leaves no log
            progress.note(f"Continue with: bench eval --resume {shlex.quote(str(directory.path))}")
            raise


def _continue(recording: RunRecording, plan: Plan, prepared: Sequence[PreparedJob], engines: Engines) -> None:
    directory = recording.directory
    matches = match_jobs(directory, plan, [each.task for each in prepared])
    for each, found in zip(prepared, matches, strict=True):
        recover = engines.get(each.engine).recover
        job = continue_job(directory, found, recover)
        provenance.record(each.task, job=job.id)
        journal = recover(directory, job.id)
        for message in journal.damage:
            progress.note(f"bench: {message}")
        wanted = planned_keys(each.task, plan)
        recording.done[job.id] = journal.completed & set(wanted)
        missing = [key for key in wanted if key not in recording.done[job.id]]
        if not missing and (log := _existing(recording, job.id, wanted)):
            recording.complete[job.id] = log
        _announce(found, len(wanted), missing, name=bool(journal.damage))
    if len(recording.complete) < len(prepared):
        directory.add_plan(plan.whole or plan)


def _announce(found: Match, wanted: int, missing: Sequence[SampleKey], *, name: bool) -> None:
    why = f" ({found.differences})" if found.changed else ""
    rest = ", the others are recorded" if len(missing) < wanted else ""
    ids = list(dict.fromkeys(str(id_) for id_, _ in missing)) if name and rest else []
    rest += f": {', '.join(ids[:_MOST_NAMED])}{', …' if ids[_MOST_NAMED:] else ''}" if ids else ""
    state = f"{len(missing)} of {wanted} samples run{rest}" if missing else "complete: no sample runs"
    progress.note(f"{found.benchmark}: {state}{why}")


def _existing(recording: RunRecording, job: str, wanted: Sequence[SampleKey]) -> EvalLog | None:
    """Return the log of a job, if it holds what is wanted and nothing else."""
    log: EvalLog | None = None
    if location := recording.directory.logs().get(job):
        with suppress(LogError, UsageError):  # it is gone or damaged
            log = read_log(location)
    if log is None:  # it may have another name by now
        log = logs_of_jobs(recording.log_dir, {job}, since=0).get(job)
    held = {(sample.id, sample.epoch) for sample in (log.samples if log else None) or () if not sample.error}
    return redact_written(log) if log and log.status == "success" and held == set(wanted) else None
