"""Whether the samples of tasks are split across processes, and how these share a model's connections."""

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
"""Maximum number of processes, unless more are requested."""

CAN_FORK = sys.platform == "linux"

_OF_ONE_PROCESS = ("jax", "tensorflow", "torch")
_OPTIONS = {
    "debug_errors": "--debug-errors stops at the first error",
    "sandbox": "--sandbox would make each process build and clean up its own sandboxes",
    "trace": "--trace prints conversations",
}
_TASK = {
    "approval": "its tool calls are approved in one process",
    "early_stopping": "its early stopping needs to see all samples",
    "review": "its tool calls are reviewed in one process",
    "sandbox": "each process would build and clean up its own sandboxes",
}
_DISPLAYS = frozenset({"line", "none"})


def why_not_split(task: Task, plan: Plan, display: str, *, forked: bool = True) -> str | None:
    """Return why a task's samples must run in one process, as a clause; None if they may be split.

    Processes do not share process-wide state: sandboxes with their images, limits and clean-up; a human who approves
    tool calls; libraries that use threads or a GPU, which do not survive a fork. Tools and solvers are functions, which
    run in each process as they would in one.

    Args:
        task: The task.
        plan: The plan.
        display: How progress is shown.
        forked: Whether the workers would be forks of this process, with the libraries that it has loaded.
    """
    if display not in _DISPLAYS:
        return f"--display {display} shows one process"
    options = (reason for option, reason in _OPTIONS.items() if plan.options.get(option))
    parts = (reason for name, reason in _TASK.items() if getattr(task, name, None))
    loaded = (name for name in _OF_ONE_PROCESS if forked and name in sys.modules)
    libraries = (f"{name} is loaded, which does not survive a fork" for name in loaded)
    samples = (_TASK["sandbox"] for sample in task.dataset if sample.sandbox)
    return next((reason for reasons in (options, parts, libraries, samples) for reason in reasons), None)


def processes_for(runner: type[Runner], display: str, tasks: Sequence[Task], plan: Plan) -> int:
    """Return how many processes run the samples of tasks: the requested number, else one based on samples and cores.

    There are never more processes than connections, since each process needs one.

    Raises:
        UsageError: Several are requested, but the system cannot fork, or a task cannot be split.
    """
    wanted = plan.processes
    if wanted is None:
        samples = sum(planned_count(task, plan) for task in tasks)
        wanted = min(samples // runner.samples_each, _cores(), MOST) if CAN_FORK else 1
        if wanted <= 1 or any(why_not_split(task, plan, display) for task in tasks):
            return 1
    elif wanted > 1:
        _check(tasks, plan, display)
    return min(wanted, plan.generate.get("max_connections") or wanted)


class Share(NamedTuple):
    """The share of the connections that one of several processes gets.

    Attributes:
        sharers: The number of processes.
        place: The index of the process, from 0, unique among the running ones.
    """

    sharers: int
    place: int

    def of(self, whole: int) -> int:
        """Return its share of a number, at least 1; the first processes get the remainder."""
        return max(1, whole // self.sharers + (self.place < whole % self.sharers))


def free_place(taken: Collection[int]) -> int:
    """Return the first index that no running process has."""
    return next(place for place in count() if place not in taken)


def share_of(model: Model, config: GenerateConfig, share: Share) -> Mapping[str, Any]:
    """Return settings with which all processes together use exactly the connections that one process may use.

    Args:
        model: The model.
        config: Its generation settings.
        share: The process's share of the connections.
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
        raise UsageError("--processes needs Linux, where a process can be forked. Omit it.")
    for task in tasks:
        if reason := why_not_split(task, plan, display):
            key = Provenance.of(task).benchmark
            raise UsageError(f"{key}: --processes {plan.processes} cannot split it: {reason}. Omit it.")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if CAN_FORK else 1
