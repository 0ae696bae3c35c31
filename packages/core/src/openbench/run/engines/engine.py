"""What an engine is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.journal import Recording
from openbench.run.plan import Plan


class Engine(ABC):
    """Runs the samples of tasks that `openbench.run.prepare.prepare` made ready.

    Attributes:
        samples_each: Samples for which another process is worth its start, with a model that answers at once.
    """

    samples_each: ClassVar[int] = 4_000

    def __init__(self, *, display: str) -> None:
        """Make an engine.

        Args:
            display: How progress is shown, as `openbench.run.executor.Executor` has it.
        """
        self.display = display

    @abstractmethod
    def refuses(self, task: Task, plan: Plan) -> str | None:
        """Return why it cannot run a task, as a clause without a full stop; None if it can.

        Nothing may be asked of a model here.
        """

    @abstractmethod
    def run(self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: Recording) -> Mapping[str, EvalLog]:
        """Run tasks that it does not refuse.

        Args:
            tasks: The tasks, each with its model.
            roles: Models by role.
            recording: The plan that they belong to, which samples need not run, and where each that ended is recorded.
                It may be that of a part of a job, whose other samples run in another process.

        Returns:
            By the id of each task's job (`openbench.run.prepare.job_id`) its log, or what `Recording.outcome` gives. Of
            a task that an interrupt kept from starting there is none.

        Raises:
            OpenbenchError: The tasks could not be started.
        """
