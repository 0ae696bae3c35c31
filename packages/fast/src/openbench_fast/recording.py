"""Counts what ends in any process: which jobs go on, and which have too many errors."""

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
    """The result of one sample, as plain values, so that another process or machine can send it.

    Attributes:
        job: The id of its job.
        key: Its id and epoch.
        figures: What it adds to what is shown.
        error: Its error, as inspect's `EvalError` has it; None if it has none.
        line: Its line of the journal; None if it is in the journal already.
    """

    job: str
    key: SampleKey
    figures: Figures
    error: Mapping[str, str] | None
    line: bytes | None = None


@dataclass
class JobProgress:
    """A job that has begun.

    Attributes:
        header: The head of its log.
        headline: Where its score that counts stands.
        planned: How many samples it has, each epoch counted.
        left: How many of them have not ended.
        failed: How many ended in an error.
        error: The error that was one too many.
    """

    header: EvalLog
    headline: Headline | None
    planned: int
    left: int
    failed: int = 0
    error: EvalError | None = None

    def count(self, error: Mapping[str, str] | None) -> None:
        """Count a sample that ended, in an error perhaps."""
        self.left -= 1
        if error is None:
            return
        self.failed += 1
        if self.error is None and self.too_many and not self.header.eval.config.continue_on_fail:
            self.error = EvalError(**error)

    @property
    def too_many(self) -> bool:
        """Whether more failed than is tolerated."""
        return too_many(self.failed, self.planned, self.header.eval.config.fail_on_error)

    def outcome(self, *, given_up: bool) -> EvalLog:
        """Return the head of its log with its status and error."""
        ended = given_up or not self.left
        self.header.status = "cancelled" if not ended else "error" if self.too_many else "success"
        self.header.error = self.error
        return self.header


class CountingRecording(Recording):
    """A recording that knows of each job how many samples are left, and how many failed.

    Attributes:
        shared: Whether others run the rest of the same jobs, of which the runner knows nothing.
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
        """Return whether a job goes on: not after too many errors, nor when all is to end."""
        return job not in self._given_up and not self.cancellation.requested

    def give_up(self, job: str) -> None:
        """Let a job's other samples be."""
        self._given_up.add(job)

    def outcome(self, job: str) -> EvalLog:
        """Return the head of a job's log, with the status and error that it has by now."""
        return self._begun[job].outcome(given_up=job in self._given_up)

    def figures(self, job: str, sample: EvalSample) -> Figures:
        """Return what a sample adds to what is shown."""
        return figures_of(sample, self._begun[job].headline)


class HostRecording(CountingRecording):
    """The recording of a run in the process that works on it: the one place where its samples are counted.

    Attributes:
        run: The run that is recorded.
    """

    def __init__(self, run: RunRecording, plan: Plan | None = None) -> None:
        """Record a run.

        Args:
            run: The run.
            plan: Its plan, as the runner is to run it.
        """
        super().__init__(plan or run.plan, run.done)
        self.run = run

    def begin(self, job: str, header: EvalLog) -> None:
        """Record that a job begins; see `Recording`."""
        super().begin(job, header)
        self.run.writer.start(job, header)
        progress.begin(job, header.eval, self._begun[job].left)

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended; see `Recording`."""
        self.run.writer.append(job, sample)
        error = sample.error.model_dump() if sample.error else None
        return self._count(SampleResult(job, (sample.id, sample.epoch), self.figures(job, sample), error))

    def receive(self, result: SampleResult) -> bool:
        """Record a sample that ended in another process.

        Returns:
            Whether the job goes on, as `ended` does.

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
    """Return whether more samples failed than `--fail-on-error` tolerates.

    Args:
        failed: How many failed.
        planned: How many were to run, each epoch counted.
        tolerated: As `--fail-on-error` has it: False for any number, None or True for none; below 1 a share of the
            planned ones, from 1 on a count, at which the run fails.
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
