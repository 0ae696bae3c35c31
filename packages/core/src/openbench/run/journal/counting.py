"""What an engine sees of the run that it works for: what need not run, and where a sample that ended goes.

Whatever runs a sample, it counts here: `Recording.ended` records it, adds it to what is shown, and says whether its job
goes on, or too many have failed.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from inspect_ai.log import EvalError, EvalLog, EvalSample

from openbench.run.headline import Headline, expected_headline
from openbench.run.plan import Plan
from openbench.run.planned import Key, planned_samples
from openbench.run.progress_figures import Figures, figures_of
from openbench.run.stopping import Stop
from openbench.run.tolerance import too_many

if TYPE_CHECKING:
    from openbench.errors import OpenbenchError


class Told(NamedTuple):
    """What is said of a sample that ended; plain values, so that another process or machine can say it.

    Attributes:
        job: The id of its job.
        key: Its id and epoch.
        figures: What it adds to what is shown.
        error: Its error, as inspect's `EvalError` has it; None if it has none.
        line: Its line of the journal; None if it is in the journal already.
    """

    job: str
    key: Key
    figures: Figures
    error: Mapping[str, str] | None
    line: bytes | None = None


@dataclass
class Begun:
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


class Recording(ABC):
    """What an engine sees of a run.

    An engine calls `begin` for each job and `ended` for each of its samples, and returns for a job that has no log of
    its own making what `outcome` gives.

    Attributes:
        plan: The plan, as the engine is to run it.
        done: By job, the ids and epochs of samples that are not to run: what else its task has is.
        shared: Whether others run the rest of the same jobs, of which the engine knows nothing.
        stop: Ends the engine.
        failure: Why nothing more can be recorded.
    """

    shared = False

    def __init__(self, plan: Plan, done: Mapping[str, Collection[Key]] | None = None) -> None:
        """Prepare for jobs."""
        self.plan = plan
        self.done: dict[str, Collection[Key]] = dict(done or {})
        self.stop = Stop()
        self.failure: OpenbenchError | None = None
        self._begun: dict[str, Begun] = {}
        self._given_up: set[str] = set()

    def begin(self, job: str, header: EvalLog) -> None:
        """Say that a job begins.

        Args:
            job: Its id.
            header: What its log says before the first sample, as inspect's `eval(..., run_samples=False)` returns it.

        Raises:
            LogError: It cannot be recorded.
        """
        planned = planned_samples(header.eval)
        left = planned - len(self.done.get(job, ()))
        self._begun[job] = Begun(header, expected_headline(header.eval), planned, left)

    @abstractmethod
    def ended(self, job: str, sample: EvalSample) -> bool:
        """Record a sample that ended, in an error or not.

        Returns:
            Whether the job goes on; where not, its other samples are given up.

        Raises:
            LogError: It cannot be recorded.
        """

    def goes_on(self, job: str) -> bool:
        """Return whether a job goes on: not after too many errors, nor when all is to end."""
        return job not in self._given_up and not self.stop.wished

    def give_up(self, job: str) -> None:
        """Let a job's other samples be."""
        self._given_up.add(job)

    def outcome(self, job: str) -> EvalLog:
        """Return the head of a job's log, with the status and error that it has by now."""
        return self._begun[job].outcome(given_up=job in self._given_up)

    def figures(self, job: str, sample: EvalSample) -> Figures:
        """Return what a sample adds to what is shown."""
        return figures_of(sample, self._begun[job].headline)
