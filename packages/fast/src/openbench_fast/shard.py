"""A shard of a run: some samples of its jobs, run by the same engine as the whole run."""

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
"""Samples by job id."""

Report = Callable[[SampleResult], Iterable[str]]
"""Reports a sample's result to the host; returns the ids of jobs known to be given up."""


class ShardRecording(CountingRecording):
    """The recording of a shard: it reports results to the host, which decides whether a job continues."""

    shared = True

    def __init__(self, plan: Plan, done: Mapping[str, Collection[SampleKey]], report: Report) -> None:
        """Record a shard.

        Args:
            plan: The plan, from `shard_plan`.
            done: Samples of the narrowed tasks that do not belong to the shard, by job id.
            report: Reports a result to the host.
        """
        super().__init__(plan, done)
        self._report = report

    def ended(self, job: str, sample: EvalSample) -> bool:
        """Report a sample that ended to the host; see `Recording`."""
        error = sample.error.model_dump() if sample.error else None
        result = SampleResult(job, (sample.id, sample.epoch), self.figures(job, sample), error, self._line(job, sample))
        try:
            given_up = list(self._report(result))
        except Exception as failure:
            raise OpenbenchError(f"cannot report a result to the host of this shard: {failure}") from failure
        for each in given_up:
            self.give_up(each)
        if self.done.keys() <= self._given_up:
            self.cancellation.cancel()
        self._begun[job].count(error)
        return self.goes_on(job)

    def interrupted(self, tasks: Iterable[Task], logs: Mapping[str, EvalLog]) -> bool:
        """Return whether an engine's logs show that it was interrupted, other than by giving a job up."""
        left = {job_id(task) for task in tasks} - self._given_up
        return self.cancellation.requested or any(job not in logs or logs[job].status == "cancelled" for job in left)

    def _line(self, job: str, sample: EvalSample) -> bytes | None:
        return sample_line(job, sample)


class JournalingRecording(ShardRecording):
    """The recording of a shard that writes its own journal, beside the host's."""

    def __init__(
        self, plan: Plan, done: Mapping[str, Collection[SampleKey]], report: Report, writer: JournalWriter
    ) -> None:
        """Record a shard; see `ShardRecording`."""
        super().__init__(plan, done, report)
        self._writer = writer

    def _line(self, job: str, sample: EvalSample) -> bytes | None:
        self._writer.append(job, sample)
        return None


def shard_plan(plan: Plan, scratch: str, done: Mapping[str, Collection[SampleKey]]) -> Plan:
    """Return the plan for the engine of a shard.

    Samples and connections are those of the narrowed tasks, only the host ends a job because of errors, and the
    engine's own logs are temporary. Inspect's logs have samples only if some must be skipped: writing them takes a
    quarter of the time, but without them Inspect skips none.

    Args:
        plan: The plan.
        scratch: The directory for the engine's logs.
        done: Samples of the narrowed tasks that do not belong to the shard, by job id.
    """
    kept = {name: value for name, value in plan.options.items() if name not in {"limit", "log_format"}}
    skips = len(done) > 1 or any(done.values())
    options = {**kept, "fail_on_error": False, "log_dir": scratch, "log_samples": skips}
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
        tasks: The tasks, which are not modified.
        plan: The plan.
        keys: The samples.
        share: The shard's share of the connections.

    Returns:
        The tasks that have any of these samples; and the epochs of their samples that must not run, by job id.
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
