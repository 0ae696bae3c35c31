"""A job that is ready to run."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inspect_ai import Task

from openbench.run.plan import Job


@dataclass(frozen=True)
class Chosen:
    """A job that is ready to run, and who runs its samples.

    Attributes:
        job: The job of the plan.
        task: Its task, as `openbench.run.prepare.prepare` made it ready; the id of its job is the run's.
        engine: The engine, by name.
    """

    job: Job
    task: Task
    engine: str


def by_engine(chosen: Iterable[Chosen]) -> Mapping[str, list[Task]]:
    """Return the tasks of jobs by the names of their engines."""
    found: dict[str, list[Task]] = {}
    for each in chosen:
        found.setdefault(each.engine, []).append(each.task)
    return found
