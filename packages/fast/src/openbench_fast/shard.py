"""A part of a run: some samples of its jobs, run by the same engine as all of them would be."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import GenerateConfig

from openbench.errors import OpenbenchError
from openbench.run.build_job import job_id
from openbench.run.identity import SampleKey, epochs_of, ids_of
from openbench.run.journal import JournalWriter, sample_line
from openbench.run.plan import EvalOptions, GenerateOptions, Plan
from openbench_fast.process_count import Share, share_of
from openbench_fast.recording import CountingRecording, SampleResult

Keys = Mapping[str, Sequence[SampleKey]]
"""By the id of its job, samples."""

Tell = Callable[[SampleResult], Iterable[str]]
"""Tells the host of a sample that ended; returns the ids of jobs that are given up, as far as it knows by then."""


class PartRecording(CountingRecording):
    """The recording of a part: it tells the host what ended, and the host decides whether a job goes on."""

    shared = True

    def __init__(self, plan: Plan, done: Mapping[str, Collection[SampleKey]], tell: Tell) -> None:
        """Record a part.

        Args:
            plan: The plan, as `plan_of_part` has it.
            done: By each job of the part, what its narrowed task has and the part has not.
            tell: Tells the host.
        """
        super().__init__(plan, done)
        self._tell = tell

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Tell the host of a sample that ended; see `Recording`."""
        error = sample.error.model_dump() if sample.error else None
        told = SampleResult(job, (sample.id, sample.epoch), self.figures(job, sample), error, self._line(job, sample))
        try:
            given_up = list(self._tell(told))
        except Exception as unheard:
            raise OpenbenchError(f"the host of this part cannot be told anything: {unheard}") from unheard
        for each in given_up:
            self.give_up(each)
        if self.done.keys() <= self._given_up:
            self.cancellation.cancel()
        self._begun[job].count(error)
        return self.goes_on(job)

    def interrupted(self, tasks: Iterable[Task], logs: Mapping[str, EvalLog]) -> bool:
        """Return whether the logs that an engine made of tasks say that it was interrupted, and not by a give-up."""
        left = {job_id(task) for task in tasks} - self._given_up
        return self.cancellation.requested or any(job not in logs or logs[job].status == "cancelled" for job in left)

    def _line(self, job: str, sample: EvalSample) -> bytes | None:
        return sample_line(job, sample)


class JournalingRecording(PartRecording):
    """The recording of a part that writes a journal of its own, beside the host's."""

    def __init__(
        self, plan: Plan, done: Mapping[str, Collection[SampleKey]], tell: Tell, writer: JournalWriter
    ) -> None:
        """Record a part; see `PartRecording`."""
        super().__init__(plan, done, tell)
        self._writer = writer

    def _line(self, job: str, sample: EvalSample) -> bytes | None:
        self._writer.append(job, sample)
        return None


def plan_of_part(plan: Plan, aside: str, done: Mapping[str, Collection[SampleKey]]) -> Plan:
    """Return a plan as the engine of a part gets it.

    Its samples are in the narrowed tasks, and its connections are their share; no failure ends it but at the host's
    word; and its engine's own logs go where they do not last. inspect's has no samples where none needs to be skipped,
    since writing them takes a quarter of the time, and inspect skips none without.

    Args:
        plan: The plan.
        aside: Where the engine's logs go.
        done: By job, what the narrowed tasks have and the part has not.
    """
    kept = {name: value for name, value in plan.options.items() if name not in {"limit", "log_format"}}
    skips = len(done) > 1 or any(done.values())
    options = {**kept, "fail_on_error": False, "log_dir": aside, "log_samples": skips}
    generate = {name: value for name, value in plan.generate.items() if name != "max_connections"}
    return replace(
        plan,
        options=EvalOptions(**options),  # type: ignore[typeddict-item]
        generate=GenerateOptions(**generate),  # type: ignore[typeddict-item]
        processes=1,
        resume=None,
    )


def narrowed(
    tasks: Iterable[Task], plan: Plan, keys: Keys, share: Share
) -> tuple[list[Task], dict[str, set[SampleKey]]]:
    """Narrow tasks to some of their samples.

    Args:
        tasks: The tasks; they stay as they are.
        plan: The plan.
        keys: The samples.
        share: What this part gets of the connections.

    Returns:
        The tasks that have any; and by job, the epochs of their samples that are not to run.
    """
    parts, done = [], {}
    for task in tasks:
        if own := keys.get(job := job_id(task)):
            ids = dict.fromkeys(id_ for id_, _ in own)
            parts.append(_narrowed(task, plan, ids, share))
            epochs = range(1, epochs_of(task, plan) + 1)
            done[job] = {(id_, epoch) for id_ in ids for epoch in epochs}.difference(own)
    return parts, done


def _narrowed(task: Task, plan: Plan, ids: Collection[str | int], share: Share) -> Task:
    samples = [
        sample.model_copy(update={"id": id_})
        for id_, sample in zip(ids_of(task), task.dataset, strict=True)
        if id_ in ids
    ]
    part = copy(task)
    part.dataset = MemoryDataset(samples, name=task.dataset.name, location=task.dataset.location)
    if task.model:
        given = task.config.merge(GenerateConfig(**plan.generate))
        part.config = task.config.merge(GenerateConfig(**share_of(task.model, given, share)))
    return part
