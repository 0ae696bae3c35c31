"""How the samples of tasks are shared among processes, and the connections that they may use."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import AdaptiveConcurrency

from openbench.errors import UsageError
from openbench.run.plan import Plan

SAMPLES_EACH = 4_000
"""Samples for which another process is worth its start: some seconds' work for a model that answers at once."""

MOST = 8
"""Processes at most, unless more are asked for."""

CAN_FORK = sys.platform == "linux"


def processes_for(tasks: Sequence[Task], plan: Plan) -> int:
    """Return how many processes run the samples of tasks: those that are asked for, else by samples and cores.

    There are never more than connections, since each process needs one.

    Raises:
        UsageError: Several are asked for where the system cannot divide a process.
    """
    wanted = plan.processes
    if not CAN_FORK:
        if wanted and wanted > 1:
            raise UsageError("--processes needs Linux, where a process can be divided. Leave it out.")
        return 1
    if wanted is None:
        samples = sum(_samples_of(task, plan) for task in tasks)
        wanted = max(1, min(samples // SAMPLES_EACH, len(os.sched_getaffinity(0)), MOST))
    return min(wanted, plan.generate.get("max_connections") or wanted)


def share_of(model: Model, config: GenerateConfig, processes: int) -> Mapping[str, Any]:
    """Return the settings with which so many processes together use no more connections than one may.

    Args:
        model: The model.
        config: How it generates.
        processes: How many there are.
    """
    config = model.config.merge(config)
    adaptive = config.adaptive_connections
    if config.max_connections or adaptive is False:
        most = config.max_connections or model.api.max_connections()
        return {"max_connections": max(1, most // processes)}
    if not isinstance(adaptive, AdaptiveConcurrency):
        most = AdaptiveConcurrency().max if adaptive is None or adaptive is True else adaptive
        adaptive = AdaptiveConcurrency(max=most)
    bounds = {name: max(1, getattr(adaptive, name) // processes) for name in ("min", "start", "max")}
    return {"adaptive_connections": AdaptiveConcurrency(**{**adaptive.model_dump(), **bounds})}


def _samples_of(task: Task, plan: Plan) -> int:
    match plan.options.get("limit"):
        case int(count):
            samples = min(count, len(task.dataset))
        case (start, end):
            samples = max(0, min(end, len(task.dataset)) - start)
        case _:
            samples = len(task.dataset)
    return samples * (plan.options.get("epochs") or task.epochs or 1)
