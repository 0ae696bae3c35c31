"""Whether the samples of tasks are divided among processes, and how these share the connections of a model."""

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import AdaptiveConcurrency

from openbench.errors import UsageError
from openbench.run.identity import planned_count
from openbench.run.plan import Plan
from openbench.tasks.provenance import Provenance
from openbench_fast.runner import Runner

MOST = 8
"""Processes at most, unless more are asked for."""

CAN_FORK = sys.platform == "linux"

_OF_ONE_PROCESS = ("jax", "tensorflow", "torch")
_OPTIONS = {
    "debug_errors": "--debug-errors stops at the first error",
    "sandbox": "--sandbox has each process build and clean up sandboxes of its own",
    "trace": "--trace prints conversations",
}
_TASK = {
    "approval": "its tool calls are approved in one place",
    "early_stopping": "it decides by all of its samples which of them run",
    "review": "its tool calls are reviewed in one place",
    "sandbox": "each process would build and clean up sandboxes of its own",
}
_DISPLAYS = frozenset({"line", "none"})


def undividable(task: Task, plan: Plan, display: str, *, forked: bool = True) -> str | None:
    """Return why a task's samples must stay in one process, as a clause; None if they may be divided.

    What a process holds for all samples is not shared: sandboxes, whose images, limits and cleaning up are a process's;
    a person who is asked; a library that has begun to use threads or a GPU, which a divided process cannot go on with.
    Tools and solvers are functions, which run in each process as they would in one.

    Args:
        task: The task.
        plan: The plan.
        display: How progress is shown.
        forked: Whether it is this process that would be divided, with all that it has loaded.
    """
    if display not in _DISPLAYS:
        return f"--display {display} shows one process"
    options = (reason for option, reason in _OPTIONS.items() if plan.options.get(option))
    parts = (reason for name, reason in _TASK.items() if getattr(task, name, None))
    loaded = (name for name in _OF_ONE_PROCESS if forked and name in sys.modules)
    libraries = (f"{name} is loaded, which cannot be divided" for name in loaded)
    samples = (_TASK["sandbox"] for sample in task.dataset if sample.sandbox)
    return next((reason for reasons in (options, parts, libraries, samples) for reason in reasons), None)


def processes_for(runner: type[Runner], display: str, tasks: Sequence[Task], plan: Plan) -> int:
    """Return how many processes run the samples of tasks: those that are asked for, else by samples and cores.

    There are never more than connections, since each process needs one.

    Raises:
        UsageError: Several are asked for, and the system cannot divide a process, or a task not be divided.
    """
    wanted = plan.processes
    if wanted is None:
        samples = sum(planned_count(task, plan) for task in tasks)
        wanted = min(samples // runner.samples_each, _cores(), MOST) if CAN_FORK else 1
        if wanted <= 1 or any(undividable(task, plan, display) for task in tasks):
            return 1
    elif wanted > 1:
        _check(tasks, plan, display)
    return min(wanted, plan.generate.get("max_connections") or wanted)


class Share(NamedTuple):
    """What one of several processes gets of the connections.

    Attributes:
        sharers: How many processes there are.
        place: Which of them it is, from 0; no two that run at once have the same.
    """

    sharers: int
    place: int

    def of(self, whole: int) -> int:
        """Return its share of so many: one at least; the first places get what does not divide evenly."""
        return max(1, whole // self.sharers + (self.place < whole % self.sharers))


def free_place(taken: Collection[int]) -> int:
    """Return the first place that none of those that run has."""
    return next(place for place in count() if place not in taken)


def share_of(model: Model, config: GenerateConfig, share: Share) -> Mapping[str, Any]:
    """Return the settings with which processes together use all connections that one may, and no more.

    Args:
        model: The model.
        config: How it generates.
        share: What the process gets of the connections.
    """
    config = model.config.merge(config)
    adaptive = config.adaptive_connections
    if config.max_connections or adaptive is False:
        most = config.max_connections or model.api.max_connections()
        return {"max_connections": share.of(most)}
    if not isinstance(adaptive, AdaptiveConcurrency):
        most = AdaptiveConcurrency().max if adaptive is None or adaptive is True else adaptive
        adaptive = AdaptiveConcurrency(max=most)
    bounds = {name: share.of(getattr(adaptive, name)) for name in ("min", "start", "max")}
    return {"adaptive_connections": AdaptiveConcurrency(**{**adaptive.model_dump(), **bounds})}


def _check(tasks: Sequence[Task], plan: Plan, display: str) -> None:
    if not CAN_FORK:
        raise UsageError("--processes needs Linux, where a process can be divided. Leave it out.")
    for task in tasks:
        if reason := undividable(task, plan, display):
            key = Provenance.of(task).benchmark
            raise UsageError(f"{key}: --processes {plan.processes} cannot divide it: {reason}. Leave it out.")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if CAN_FORK else 1
