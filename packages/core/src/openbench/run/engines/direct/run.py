"""A task that inspect has begun, and all of them together in one event loop."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample

from openbench.run.engines.direct.collecting import rarely_collected
from openbench.run.engines.direct.loop import Tally, most_in_flight, run_samples
from openbench.run.engines.direct.setting import Setting

TASKS_AT_ONCE = 4


@dataclass
class Run:
    """A task that inspect has begun.

    Attributes:
        job: The id of its job.
        header: The head of its log.
        context: The context in whose copies its samples run.
        setting: What they have in common.
        samples: The samples that are to run, each with its epoch.
        tally: What failed.
        ended: Whether it came to its end, if only because too much failed.
    """

    job: str
    header: EvalLog
    context: Context
    setting: Setting
    samples: Sequence[tuple[Sample, int]]
    tally: Tally
    ended: bool = False

    def outcome(self) -> EvalLog:
        """Return the head of its log with its status and error."""
        self.header.status = "cancelled" if not self.ended else "error" if self.tally.too_many else "success"
        self.header.error = self.tally.error
        return self.header


Ended = Callable[[Run, EvalSample], bool]


async def run_all(runs: Sequence[Run], tasks_at_once: int | None, ended: Ended) -> None:
    """Run the samples of tasks.

    Args:
        runs: The tasks.
        tasks_at_once: Of how many tasks samples are run at once.
        ended: Is told of each sample that ended; where it returns False, the others of its task are given up.
    """
    places = asyncio.Semaphore(tasks_at_once or TASKS_AT_ONCE)
    try:
        with rarely_collected():
            async with asyncio.TaskGroup() as group:
                for run in runs:
                    group.create_task(_run(run, places, ended))
    except ExceptionGroup as several:
        raise several.exceptions[0] from several


async def _run(run: Run, places: asyncio.Semaphore, ended: Ended) -> None:
    async with places:
        await run_samples(
            run.setting,
            run.samples,
            context=run.context,
            ended=lambda sample: ended(run, sample),
            in_flight=most_in_flight(run.setting.model, run.setting.config),
        )
        run.ended = True
