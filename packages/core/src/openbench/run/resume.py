"""Decides what of a recorded run may be reused by the tasks that continue it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from pydantic_core import to_jsonable_python

from openbench.errors import UsageError
from openbench.redaction import redacted
from openbench.run.executor import unversioned
from openbench.run.identity import CONTENT_KEY, Identity, changed_parts, differences
from openbench.run.journal import Journal, JournalWriter
from openbench.run.limits import are_looser
from openbench.run.plan import Plan
from openbench.run.run_directory import RecordedJob, RunDirectory
from openbench.run.sample_keys import ids_of
from openbench.run.stored_plan import unstarted_jobs
from openbench.tasks.provenance import Provenance

Recover = Callable[[RunDirectory, str], Journal]

# What is decided for each sample alone: by the digest of its content, and by whether it reached a limit.
_OF_SAMPLES = {"dataset", "limits"}


class NotComparableError(UsageError):
    """What the samples of a run depend on has changed since.

    Attributes:
        changed: What has.
        hint: What else there is to do, after a space; or nothing.
    """

    def __init__(self, run: object, changed: str, *, hint: str = "") -> None:
        """Say that a run, or its log, cannot be continued, and what else there is to do."""
        super().__init__(
            f"{run} cannot be continued, since its samples would not be comparable: {changed}. Run bench eval again, "
            f"or add --rerun-changed to run again what has changed.{hint}"
        )
        self.changed = changed
        self.hint = hint


@dataclass(frozen=True)
class Match:
    """A task, and the job of the run that it continues.

    Attributes:
        task: The task.
        job: The job.
        identity: What its samples depend on now.
        changed: The names of the parts of it that have changed.
        begun: Whether the job is recorded; else it was only planned.
    """

    task: Task
    job: RecordedJob
    identity: Identity
    changed: Sequence[str]
    begun: bool = True

    @property
    def benchmark(self) -> str:
        """The benchmark's name."""
        return Provenance.of(self.task).benchmark

    @property
    def is_anew(self) -> bool:
        """Whether no sample of the job is kept."""
        return not _OF_SAMPLES.issuperset(self.changed)

    @property
    def differences(self) -> str:
        """What has changed, with both values."""
        return "; ".join(differences(self.job.identity, self.identity))


def match_jobs(directory: RunDirectory, plan: Plan, tasks: Sequence[Task]) -> list[Match]:
    """Find for each task the job that it continues: of several, the one that differs least.

    The pairs that differ least come first, whatever the order of tasks, so that no job is run anew by a task while
    another one could keep its samples.

    Raises:
        NotComparableError: Something has changed, and the plan does not run again what has.
        UsageError: The run has no job for a task.
        LogError: The run is damaged.
    """
    jobs = directory.jobs()
    waiting = [
        (unversioned(job.benchmark), job.model.name) for job in unstarted_jobs(directory.plans(), directory.recorded())
    ]
    found: dict[int, Match] = {}
    pairs: list[tuple[int, Match]] = []
    for number, task in enumerate(tasks):
        own = recorded_job(task)
        if (own.benchmark, own.model) in waiting:
            found[number] = Match(task, own, own.identity, (), begun=False)
            continue
        now = own.identity
        candidates = [job for job in jobs if job.identity["benchmark"] == now["benchmark"]]
        pairs += [(number, Match(task, job, now, changed_parts(job.identity, now))) for job in candidates]
    taken = set()
    for number, pair in sorted(pairs, key=lambda each: (each[1].is_anew, len(each[1].changed))):
        if number not in found and pair.job.id not in taken:
            found[number] = pair
            taken.add(pair.job.id)
    for number, task in enumerate(tasks):
        if number not in found:
            raise UsageError(_no_job(directory, jobs, recorded_job(task)))
    matches = [found[number] for number in range(len(tasks))]
    changed = [each for each in matches if each.changed]
    if changed and not plan.rerun_changed:
        named = [f"{each.benchmark}: {each.differences}" if len(matches) > 1 else each.differences for each in changed]
        raise NotComparableError(directory.path, "; ".join(named), hint=_hint(changed))
    return matches


def continue_job(directory: RunDirectory, found: Match, recover: Recover) -> RecordedJob:
    """Return the job that a task continues, recorded.

    One that has changed is replaced by a new one, which has the samples that are still as they were.

    Args:
        directory: The run.
        found: The task, and the job that it continues.
        recover: `Engine.recover` of the task's engine.

    Raises:
        LogError: The old journal is damaged, or the new one cannot be written. Then the run has the old job still.
    """
    if not found.changed:
        job = replace(found.job, benchmark=Provenance.of(found.task).reference)
        if not found.begun or job != found.job:  # a local eval may have been moved
            directory.add_jobs(job)
        return job
    job = recorded_job(found.task, replaces=found.job.id)
    if not found.is_anew:
        # Before it is recorded: a journal of no recorded job is never read, so whatever ends this command in between,
        # the next one finds the old job, with all that it holds.
        kept = _kept(found, recover(directory, found.job.id))
        with JournalWriter(directory.path) as writer:
            for sample in kept:
                writer.append(job.id, sample)
    directory.add_jobs(job)
    return job


def recorded_job(task: Task, *, replaces: str | None = None) -> RecordedJob:
    """Return what a run records of a task that is ready."""
    own = Provenance.of(task)
    identity: Identity = redacted(to_jsonable_python(own.identity, fallback=str))
    return RecordedJob(
        id=own.job, benchmark=own.reference, model=identity["model"], identity=identity, replaces=replaces
    )


def _no_job(directory: RunDirectory, jobs: Sequence[RecordedJob], wanted: RecordedJob) -> str:
    """Return what is said of a task for which a run has no job, or none that is left."""
    name = wanted.identity["benchmark"]
    models = dict.fromkeys(job.model for job in jobs if job.identity["benchmark"] == name)
    if not models:
        known = ", ".join(dict.fromkeys(job.identity["benchmark"] for job in jobs))
        return f"{directory.path} is no run of {name}. It runs {known}."
    return (
        f"{directory.path} has no job of {name} with {wanted.model} to continue: it ran {name} with "
        f"{', '.join(models)}. Run bench eval of what is new without --resume."
    )


def _hint(changed: Sequence[Match]) -> str:
    if not any("scored" in each.changed for each in changed):
        return ""
    if any(each.job.identity.get("scored", True) for each in changed):
        return " Its samples are scored: continue it without --no-score."
    return " Its samples are not scored: continue it with --no-score, then score its log with bench score LOG."


def _kept(found: Match, journal: Journal) -> Iterator[EvalSample]:
    """Return the samples of a job that are still as they were; those without an id go by the number that stands for it.

    Raises:
        LogError: The journal is damaged.
    """
    contents = {id_: _content(sample) for id_, sample in zip(ids_of(found.task), found.task.dataset, strict=True)}
    for sample in journal.read(journal.completed):
        same = contents.get(sample.id) == (sample.metadata or {}).get(CONTENT_KEY)
        if same and _within_limits(found, sample):
            yield sample


def _within_limits(found: Match, sample: EvalSample) -> bool:
    """Return whether a sample would have ended as it did under the limits of now."""
    before, now = (identity.get("limits", {}) for identity in (found.job.identity, found.identity))
    return bool(before == now or (sample.limit is None and are_looser(before, now)))


def _content(sample: Sample) -> object:
    return (sample.metadata or {}).get(CONTENT_KEY)
