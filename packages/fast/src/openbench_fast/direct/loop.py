"""The loop over all samples of all tasks, with a bounded number in flight."""

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
    """Run samples, each in its own copy of a context, so that nothing leaks from one to the next.

    Args:
        setting: What they have in common.
        samples: The samples with their epochs.
        context: The context, from `inspect_bootstrap.begin`.
        ended: Called with each sample that ended; if it returns False, the remaining ones are given up.
        in_flight: The maximum number of samples in flight.
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
    """Run one sample after another; return False if the remaining ones are given up."""
    for sample, epoch in waiting:
        running = asyncio.create_task(run_sample(setting, sample, epoch), context=context.copy())
        if not ended(await running):
            return False
    return True


def max_in_flight(model: Model, config: GenerateConfig) -> int:
    """Return how many samples may be in flight: two for each connection, as one may be scored while another waits.

    A request waits for its connection in `Model.generate`, which alone limits their number. If a provider's attribute
    `bulk` is true, it answers the requests of all samples together, so all are in flight.
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
    """A task that Inspect has begun.

    Attributes:
        job: The id of its job.
        context: The context; each sample runs in a copy of it.
        setting: What its samples have in common.
        samples: The samples to run, each with its epoch.
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
    trace = logging.getLevelName("TRACE")  # Inspect registers the level when it starts logging
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
            in_flight=max_in_flight(run.setting.model, run.setting.config),
        )
