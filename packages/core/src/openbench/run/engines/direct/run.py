"""A task that inspect has begun, and all of them together in one event loop."""

import asyncio
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass

from inspect_ai.dataset import Sample

from openbench.run.collecting import rarely_collected
from openbench.run.engines.direct.loop import most_in_flight, run_samples
from openbench.run.engines.direct.setting import Setting
from openbench.run.engines.untraced import untraced
from openbench.run.journal import Recording

TASKS_AT_ONCE = 4


@dataclass(frozen=True)
class Run:
    """A task that inspect has begun.

    Attributes:
        job: The id of its job.
        context: The context in whose copies its samples run.
        setting: What they have in common.
        samples: The samples that are to run, each with its epoch.
    """

    job: str
    context: Context
    setting: Setting
    samples: Sequence[tuple[Sample, int]]


async def run_all(runs: Sequence[Run], recording: Recording) -> None:
    """Run the samples of tasks, and record them."""
    places = asyncio.Semaphore(recording.plan.options.get("max_tasks") or TASKS_AT_ONCE)
    recording.stop.reach()
    try:
        with rarely_collected(), untraced():
            async with asyncio.TaskGroup() as group:
                for run in runs:
                    group.create_task(_run(run, places, recording))
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    finally:
        recording.stop.release()


async def _run(run: Run, places: asyncio.Semaphore, recording: Recording) -> None:
    async with places:
        await run_samples(
            run.setting,
            run.samples,
            context=run.context,
            ended=lambda sample: recording.ended(run.job, sample),
            in_flight=most_in_flight(run.setting.model, run.setting.config),
        )
