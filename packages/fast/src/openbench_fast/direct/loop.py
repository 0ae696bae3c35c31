"""The loop: all samples of all tasks, so many at a time."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import AdaptiveConcurrency

from openbench_fast.direct.sample import run_sample
from openbench_fast.direct.setting import Setting
from openbench_fast.gc_tuning import infrequent_gc
from openbench_fast.recording import CountingRecording


async def run_samples(
    setting: Setting,
    samples: Collection[tuple[Sample, int]],
    *,
    context: Context,
    ended: Callable[[EvalSample], bool],
    in_flight: int,
) -> None:
    """Run samples, each in a copy of a context of its own, so that nothing of one is kept for the next.

    Args:
        setting: What they have in common.
        samples: The samples with their epochs.
        context: As `header.begin` gives it.
        ended: Is told of each sample that ended; where it returns False, the others are given up.
        in_flight: How many may run at once.
    """
    waiting = iter(samples)
    workers = [
        asyncio.create_task(_work(setting, waiting, context, ended)) for _ in range(min(in_flight, len(samples)))
    ]
    try:
        for done in asyncio.as_completed(workers):
            if not await done:
                break
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


async def _work(
    setting: Setting,
    waiting: Iterator[tuple[Sample, int]],
    context: Context,
    ended: Callable[[EvalSample], bool],
) -> bool:
    """Run one sample after another; return False if the others are to be given up."""
    for sample, epoch in waiting:
        running = asyncio.create_task(run_sample(setting, sample, epoch), context=context.copy())
        if not ended(await running):
            return False
    return True


def most_in_flight(model: Model, config: GenerateConfig) -> int:
    """Return how many samples may be in flight: two for each connection, since one may be scored while one is asked.

    A request waits for its connection in `Model.generate`, which alone decides how many there are. A provider with a
    true attribute `bulk` answers the requests of all samples together, so that all are in flight.
    """
    if getattr(model.api, "bulk", False):
        return sys.maxsize
    config = model.config.merge(config)
    if config.max_connections:
        return 2 * config.max_connections
    adaptive = config.adaptive_connections
    if adaptive is False:
        return 2 * model.api.max_connections()
    if isinstance(adaptive, AdaptiveConcurrency):
        return 2 * adaptive.max
    most = adaptive if isinstance(adaptive, int) and adaptive is not True else AdaptiveConcurrency().max
    return 2 * most


TASKS_AT_ONCE = 4

_LOGGING_VARIABLES = ("INSPECT_LOG_LEVEL", "INSPECT_PY_LOGGER_FILE", "INSPECT_TRACE_FILE", "INSPECT_TRACE_LEVEL")


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


@contextmanager
def _without_trace() -> Iterator[None]:
    """Keep Inspect's logger above its level `TRACE`, unless one of Inspect's logging variables is set.

    Writing the trace takes a tenth of a sample's time.
    """
    logger = logging.getLogger("inspect_ai")
    before = logger.level
    trace = logging.getLevelName("TRACE")  # Inspect names its level when it begins to log
    if isinstance(trace, int) and not any(map(os.environ.get, _LOGGING_VARIABLES)):
        logger.setLevel(max(before, trace + 1))
    try:
        yield
    finally:
        logger.setLevel(before)


async def run_all(runs: Sequence[Run], recording: CountingRecording) -> None:
    """Run the samples of tasks, and record them."""
    places = asyncio.Semaphore(recording.plan.options.get("max_tasks") or TASKS_AT_ONCE)
    recording.cancellation.attach()
    try:
        with infrequent_gc(), _without_trace():
            async with asyncio.TaskGroup() as group:
                for run in runs:
                    group.create_task(_run(run, places, recording))
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    finally:
        recording.cancellation.detach()


async def _run(run: Run, places: asyncio.Semaphore, recording: CountingRecording) -> None:
    async with places:
        await run_samples(
            run.setting,
            run.samples,
            context=run.context,
            ended=lambda sample: recording.ended(run.job, sample),
            in_flight=most_in_flight(run.setting.model, run.setting.config),
        )
