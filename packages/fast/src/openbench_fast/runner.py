"""Runs the samples of tasks in one process: in the loop for static benchmarks, or with Inspect's `eval`."""

import asyncio
import contextlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import Model

from openbench.run.build_job import job_id
from openbench.run.inspect_eval import inspect_options, run_inspect
from openbench.tasks.provenance import Provenance
from openbench_fast.early_stopping import Skipping
from openbench_fast.gc_tuning import infrequent_gc
from openbench_fast.recording import CountingRecording


class Runner(ABC):
    """Runs samples and reports each that ends.

    Attributes:
        samples_each: Samples that make another process worth starting, with a model that answers immediately.
        most_samples: Maximum number of samples that one of several processes runs before another takes its place.
    """

    samples_each: ClassVar[int] = 4_000
    most_samples: ClassVar[int] = sys.maxsize

    def __init__(self, *, display: str) -> None:
        """Create a runner; see `openbench.run.engine.Engine`."""
        self.display = display

    @abstractmethod
    def run(
        self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: CountingRecording
    ) -> Mapping[str, EvalLog]:
        """Run tasks.

        Args:
            tasks: The tasks, each with its model.
            roles: Models by role.
            recording: Has the plan and the samples that need not run, and receives each sample that ends. It may belong
                to a shard of a job, whose other samples run in another process.

        Returns:
            The log of each task without samples, or `CountingRecording.outcome`, by job id. Tasks that did not start
            because of an interrupt have none.

        Raises:
            OpenbenchError: The tasks could not be started.
        """


class InspectRunner(Runner):
    """Runs samples of any benchmark in one call of Inspect's `eval`.

    That takes 18 kB of memory a sample, and its time for a sample grows with their number.
    """

    samples_each = 1_000
    most_samples = 10_000

    def run(
        self, tasks: Sequence[Task], roles: Mapping[str, Model], recording: CountingRecording
    ) -> Mapping[str, EvalLog]:
        """Run tasks; see `Runner`."""
        # Imported here: Inspect announces the hooks that exist when the first model is created, and these are internal.
        from openbench.run.hooks import recording_samples  # noqa: PLC0415

        for task in tasks:
            task.early_stopping = Skipping(recording, job_id(task), task.early_stopping)
        returned: list[EvalLog] = []
        with recording_samples(recording), infrequent_gc(), contextlib.suppress(asyncio.CancelledError):
            returned += run_inspect(
                list(tasks),
                display=self.display,
                model=None,
                model_roles={**roles} or None,
                **inspect_options(recording.plan),
                **recording.plan.generate,
            )
        recording.cancellation.detach()
        if recording.failure:
            raise recording.failure
        return {Provenance.of(log).job: log for log in returned}
