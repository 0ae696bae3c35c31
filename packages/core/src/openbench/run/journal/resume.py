"""Decides what of a recorded run may be reused by the tasks that continue it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from pydantic_core import to_jsonable_python

from openbench.errors import UsageError
from openbench.redaction import redacted
from openbench.run.identity import CONTENT_KEY, Identity, changed_parts, differences
from openbench.run.journal.directory import RecordedJob, RunDirectory
from openbench.run.journal.journal import Key, read_journal
from openbench.run.journal.writer import JournalWriter
from openbench.run.plan import Plan
from openbench.tasks.build import METADATA_KEY

# What the digest of each sample's content tells for each sample alone.
_OF_SAMPLES = {"dataset"}


class NotComparableError(UsageError):
    """What the samples of a run depend on has changed since.

    Attributes:
        changed: What has.
    """

    def __init__(self, run: object, changed: str) -> None:
        """Say that a run, or its log, cannot be continued."""
        super().__init__(
            f"{run} cannot be continued, since its samples would not be comparable: {changed}. Run bench eval again, "
            "or add --rerun-changed to run again what has changed."
        )
        self.changed = changed


@dataclass(frozen=True)
class Match:
    """A task, and the job of the run that it continues.

    Attributes:
        task: The task.
        job: The job.
        identity: What its samples depend on now.
        changed: The names of the parts of it that have changed.
    """

    task: Task
    job: RecordedJob
    identity: Identity
    changed: Sequence[str]

    @property
    def benchmark(self) -> str:
        """The benchmark's name."""
        return str(said_of(self.task)["benchmark"])

    @property
    def differences(self) -> str:
        """What has changed, with both values."""
        return "; ".join(differences(self.job.identity, self.identity))


def match(directory: RunDirectory, plan: Plan, tasks: Sequence[Task]) -> list[Match]:
    """Find for each task the job that it continues: of several, the one that differs least.

    Raises:
        NotComparableError: Something has changed, and the plan does not run again what has.
        UsageError: The run has no job of a task's benchmark.
        LogError: The run is damaged.
    """
    free = directory.jobs()
    matches = []
    for task in tasks:
        said = said_of(task)
        candidates = [job for job in free if job.identity["benchmark"] == said["benchmark"]]
        if not candidates:
            known = ", ".join(dict.fromkeys(job.identity["benchmark"] for job in directory.jobs()))
            raise UsageError(f"{directory.path} is no run of {said['benchmark']}. It runs {known}.")
        now = recorded_job(task).identity
        found = [Match(task, job, now, changed_parts(job.identity, now)) for job in candidates]
        matches.append(min(found, key=lambda each: len(each.changed)))
        free.remove(matches[-1].job)
    changed = [each for each in matches if each.changed]
    if changed and not plan.rerun_changed:
        named = [f"{each.benchmark}: {each.differences}" if len(matches) > 1 else each.differences for each in changed]
        raise NotComparableError(directory.path, "; ".join(named))
    return matches


def begin_again(directory: RunDirectory, found: Match, writer: JournalWriter) -> RecordedJob:
    """Replace a job that has changed by a new one, which has the samples that are still as they were.

    Raises:
        LogError: The old journal is damaged, or the new one cannot be written.
    """
    said = said_of(found.task)
    job = recorded_job(found.task, replaces=found.job.id)
    directory.add_job(job)
    if _OF_SAMPLES.issuperset(found.changed):
        contents = {sample.id: _content(sample) for sample in found.task.dataset}
        for sample in read_journal(directory, found.job.id).samples.values():
            if not sample.error and contents.get(sample.id) == (sample.metadata or {}).get(CONTENT_KEY):
                writer.append(said["job"], sample)
    return job


def recorded_job(task: Task, *, replaces: str | None = None) -> RecordedJob:
    """Return what a run records of a task that is ready."""
    said = said_of(task)
    identity: Identity = redacted(to_jsonable_python(said["identity"], fallback=str))
    return RecordedJob(
        id=said["job"], benchmark=said["reference"], model=identity["model"], identity=identity, replaces=replaces
    )


def planned(task: Task, plan: Plan) -> list[Key]:
    """Return the ids and epochs that a plan runs of a task; inspect numbers the samples that have no id."""
    ids = [number if sample.id is None else sample.id for number, sample in enumerate(task.dataset, 1)]
    limit = plan.options.get("limit")
    first, end = limit if isinstance(limit, tuple) else (0, limit)
    epochs = plan.options.get("epochs") or task.epochs or 1
    return [(id_, epoch) for epoch in range(1, epochs + 1) for id_ in ids[first:end]]


def said_of(task: Task) -> dict[str, Any]:
    """Return what a task says of itself in its log."""
    said: dict[str, Any] = (task.metadata or {})[METADATA_KEY]
    return said


def _content(sample: Sample) -> object:
    return (sample.metadata or {}).get(CONTENT_KEY)
