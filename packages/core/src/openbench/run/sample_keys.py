"""The keys of the samples that a plan runs: one rule for running, resuming, splitting and counting."""

from collections.abc import Sequence
from typing import TypeVar

from inspect_ai import Task
from inspect_ai.log import EvalSpec

from openbench.run.plan import Plan

SampleKey = tuple[str | int, int]
"""A sample's id and its epoch."""

Limit = int | tuple[int, int] | None

T = TypeVar("T")


def limited(samples: Sequence[T], limit: Limit) -> Sequence[T]:
    """Return the samples within a limit, which is a count or a range."""
    first, end = limit if isinstance(limit, tuple) else (0, limit)
    return samples[first:end]


def ids_of(task: Task) -> list[str | int]:
    """Return the ids of a task's samples; those without one get their number, as in Inspect."""
    return [number if sample.id is None else sample.id for number, sample in enumerate(task.dataset, 1)]


def epochs_of(task: Task, plan: Plan) -> int:
    """Return the number of epochs in which a plan runs a task."""
    return plan.options.get("epochs") or task.epochs or 1


def epoch_by_epoch(samples: Sequence[T], limit: Limit, epochs: int | None) -> list[tuple[T, int]]:
    """Return the samples, or ids, within a limit, each with its epoch, in the order in which they start."""
    return [(sample, epoch) for epoch in range(1, (epochs or 1) + 1) for sample in limited(samples, limit)]


def spec_keys(spec: EvalSpec) -> list[SampleKey]:
    """Return the keys of the samples planned by the header of a log."""
    return epoch_by_epoch(spec.dataset.sample_ids or (), None, spec.config.epochs)  # these are within the limit


def planned_keys(task: Task, plan: Plan) -> list[SampleKey]:
    """Return the keys of the samples that a plan runs of a task."""
    return epoch_by_epoch(ids_of(task), plan.options.get("limit"), epochs_of(task, plan))


def planned_count(task: Task, plan: Plan) -> int:
    """Return the number of samples that a plan runs of a task, over all epochs."""
    return len(limited(range(len(task.dataset)), plan.options.get("limit"))) * epochs_of(task, plan)


def spec_count(spec: EvalSpec) -> int:
    """Return the number of samples planned by the header of a log, over all epochs."""
    return len(limited(range(spec.dataset.samples or 0), spec.config.limit)) * (spec.config.epochs or 1)
