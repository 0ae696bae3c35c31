"""Counts the samples that end in any process, and decides which jobs continue and which have too many errors."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from inspect_ai.log import EvalError, EvalLog, EvalSample

from openbench.run import progress
from openbench.run.identity import SampleKey, spec_count
from openbench.run.plan import Plan
from openbench.run.recording import Recording, RunRecording
from openbench.run.summary import Headline, expected_headline
from openbench_fast.progress import Figures, figures_of, show


class SampleResult(NamedTuple):
    """The result of one sample, as plain values that can be sent between processes and machines.

    Attributes:
        job: The id of its job.
        key: Its id and epoch.
        figures: Its contribution to the progress line.
        error: Its error, as the fields of Inspect's `EvalError`; None if there is no error.
        line: Its line for the journal; None if it is already in the journal.
    """

    job: str
    key: SampleKey
    figures: Figures
    error: Mapping[str, str] | None
    line: bytes | None = None


@dataclass
class JobProgress:
    """The state of a job that has started.

    Attributes:
        header: The header of its log.
        headline: Where to find its headline score.
        planned: The number of its samples, each epoch counted.
        left: How many of them have not ended.
        failed: How many ended in an error.
        error: The error that exceeded the limit.
    """

    header: EvalLog
    headline: Headline | None
    planned: int
    left: int
    failed: int = 0
    error: EvalError | None = None

    def count(self, error: Mapping[str, str] | None) -> None:
        """Count a sample that ended, perhaps in an error."""
        self.left -= 1
        if error is None:
            return
        self.failed += 1
        if self.error is None and self.too_many and not self.header.eval.config.continue_on_fail:
            self.error = EvalError(**error)

    @property
    def too_many(self) -> bool:
        """Whether more samples failed than `--fail-on-error` allows."""
        return too_many(self.failed, self.planned, self.header.eval.config.fail_on_error)

    def outcome(self, *, given_up: bool) -> EvalLog:
        """Return the header of its log, with status and error."""
        ended = given_up or not self.left
        self.header.status = "cancelled" if not ended else "error" if self.too_many else "success"
        self.header.error = self.error
        return self.header


class CountingRecording(Recording):
    """A recording that counts how many samples of each job are left, and how many failed.

    Attributes:
        shared: Whether other processes run the remaining samples of the same jobs.
    """

    shared = False

    def __init__(self, plan: Plan, done: Mapping[str, Collection[SampleKey]] | None = None) -> None:
        """Prepare for jobs."""
        super().__init__(plan, done)
        self._begun: dict[str, JobProgress] = {}
        self._given_up: set[str] = set()

    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job begins; see `Recording`."""
        planned = spec_count(header.eval)
        left = planned - len(self.done.get(job, ()))
        self._begun[job] = JobProgress(header, expected_headline(header.eval), planned, left)

    def goes_on(self, job: str) -> bool:
        """Return whether a job continues: not after too many errors, nor if the run is being cancelled."""
        return job not in self._given_up and not self.cancellation.requested

    def give_up(self, job: str) -> None:
        """Skip a job's remaining samples."""
        self._given_up.add(job)

    def outcome(self, job: str) -> EvalLog:
        """Return the header of a job's log, with its current status and error."""
        return self._begun[job].outcome(given_up=job in self._given_up)

    def figures(self, job: str, sample: EvalSample) -> Figures:
        """Return a sample's contribution to the progress line."""
        return figures_of(sample, self._begun[job].headline)


class HostRecording(CountingRecording):
    """The recording of a run in its host process, the only place where its samples are counted.

    Attributes:
        run: The run that is recorded.
    """

    def __init__(self, run: RunRecording, plan: Plan | None = None) -> None:
        """Record a run.

        Args:
            run: The run.
            plan: The plan for the runner, if it differs from the run's.
        """
        super().__init__(plan or run.plan, run.done)
        self.run = run

    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job begins; see `Recording`."""
        super().begin(job, header)
        self.run.writer.start(job, header)
        progress.current().begin(job, header.eval, self._begun[job].left)

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended; see `Recording`."""
        self.run.writer.append(job, sample)
        error = sample.error.model_dump() if sample.error else None
        return self._count(SampleResult(job, (sample.id, sample.epoch), self.figures(job, sample), error))

    def receive(self, result: SampleResult) -> bool:
        """Record a sample that ended in another process.

        Returns:
            Whether the job continues, like `ended`.

        Raises:
            LogError: Its line of the journal is damaged, or cannot be written.
        """
        if result.line is not None:
            self.run.writer.append_line(result.job, result.key, result.line)
        return self._count(result)

    def _count(self, result: SampleResult) -> bool:
        show(result.figures)
        job = self._begun[result.job]
        job.count(result.error)
        if job.error:
            self.give_up(result.job)
        return self.goes_on(result.job)


def too_many(failed: int, planned: int, tolerated: bool | float | None) -> bool:
    """Return whether more samples failed than `--fail-on-error` allows.

    Args:
        failed: The number of failed samples.
        planned: The number of planned samples, each epoch counted.
        tolerated: The value of `--fail-on-error`: False tolerates any number, None or True none; a number below 1 is a
            share of the planned samples, from 1 on a count, at which the run fails.
    """
    match tolerated:
        case False:
            return False
        case None | True:
            return failed > 0
        case share if share < 1:
            return failed > 0 and failed >= share * planned
        case most:
            return failed >= most
