"""The loop: all samples of a task, so many at a time."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextvars import Context

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import AdaptiveConcurrency

from openbench.run.engines.direct.sample import run_sample
from openbench.run.engines.direct.setting import Setting


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

    A request waits for its connection in `Model.generate`, which alone decides how many there are.
    """
    config = model.config.merge(config)
    if config.max_connections:
        return 2 * config.max_connections
    adaptive = config.adaptive_connections
    if adaptive is False or config.batch:
        return 2 * model.api.max_connections() if not config.batch else _BATCH
    if isinstance(adaptive, AdaptiveConcurrency):
        return 2 * adaptive.max
    most = adaptive if isinstance(adaptive, int) and adaptive is not True else AdaptiveConcurrency().max
    return 2 * most


_BATCH = 10_000
"""Samples in flight where requests are sent in batches, which fill with what is in flight."""
