"""Who runs a plan. The local executor runs it in this process; others may use processes or machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inspect_ai.log import EvalLog

from openbench.errors import OpenbenchError
from openbench.run.plan import Job, Plan


@dataclass(frozen=True)
class Result:
    """What came of a job.

    Attributes:
        job: The job.
        log: Its log; None if it could not start, or was interrupted before it did.
        error: Why it could not start.
    """

    job: Job
    log: EvalLog | None = None
    error: OpenbenchError | None = None


class Executor(Protocol):
    """Runs plans."""

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job, whatever becomes of the others.

        Returns:
            A result for each job, in the plan's order.

        Raises:
            UsageError: Something that could be known before the first request is wrong; nothing was run.
        """
        ...
