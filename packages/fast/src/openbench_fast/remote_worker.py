"""Runs a shard of a run on a worker, which has the same packages and builds the tasks itself.

The host makes a `Shard` from the samples that `SampleQueue.lease` returns: plain data that can be pickled. The worker
calls `run_shard`, in any thread, and sends each result to the host, which passes it to `SampleQueue.complete`.
"""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, Model

from openbench.errors import OpenbenchError
from openbench.registry.catalog import Catalog
from openbench.run.build_job import build_job, job_id
from openbench.run.engine import PreparedJob, tasks_by_engine
from openbench.run.identity import Identity, SampleKey, differences
from openbench.run.models import make_model, make_roles
from openbench.run.plan import Plan, plan_from_json, plan_to_json
from openbench.run.recording import Cancellation
from openbench.run.run_directory import RecordedJob
from openbench.tasks.provenance import Provenance, record
from openbench_fast.engines import runner_of
from openbench_fast.process_count import Share
from openbench_fast.shard import Keys, Report, ShardRecording, narrowed, shard_plan

_KEPT = 8  # tasks that a worker keeps for its next shard


@dataclass(frozen=True, kw_only=True)
class ShardJob:
    """Samples of a job.

    Attributes:
        id: The id of the job in its run.
        engine: The name of the engine that runs them.
        identity: What their results depend on, as recorded by the host.
        keys: Their ids and epochs.
    """

    id: str
    engine: str
    identity: Identity
    keys: Sequence[SampleKey]


@dataclass(frozen=True, kw_only=True)
class Shard:
    """Samples for a worker, as plain data.

    Attributes:
        plan: The plan with their jobs, as JSON from `plan_to_json`. It may contain API keys.
        jobs: The samples of each job of the plan.
        share: The worker's share of the connections.
    """

    plan: str
    jobs: Sequence[ShardJob]
    share: Share


class IdentityMismatchError(OpenbenchError):
    """A worker's packages or data differ from the host's."""


def make_shard(plan: Plan, chosen: Iterable[PreparedJob], keys: Keys, share: Share) -> Shard:
    """Make a shard of a run for a worker on another machine.

    Args:
        plan: The recording's plan.
        chosen: The jobs that are run.
        keys: Samples that `SampleQueue.lease` returned, by job id.
        share: The worker's share of the connections.

    Raises:
        UsageError: An argument cannot be sent.
    """
    own = [each for each in chosen if job_id(each.task) in keys]
    priced = _with_prices(plan, [Provenance.of(each.task).identity.get("limits", {}) for each in own])
    return Shard(
        plan=plan_to_json(replace(priced, jobs=[each.job for each in own], suites=(), whole=None)),
        jobs=[
            ShardJob(
                id=job_id(each.task),
                engine=each.engine,
                identity=RecordedJob.of(each.task).identity,
                keys=keys[job_id(each.task)],
            )
            for each in own
        ],
        share=share,
    )


def run_shard(catalog: Catalog, shard: Shard, report: Report, *, cancellation: Cancellation | None = None) -> bool:
    """Run a shard, in any thread; only one at a time in each process.

    The prepared tasks are kept for the next shard, as long as the catalog is the same object. Models are created again,
    since their connections belong to an event loop.

    Args:
        catalog: The installed benchmarks.
        shard: The shard.
        report: Called with each result as soon as a sample has ended; an exception ends the shard. It returns
            the ids of jobs known to be given up.
        cancellation: Ends the shard when requested, from any thread.

    Returns:
        Whether the shard ran to its end, that is, was not cancelled or interrupted.

    Raises:
        IdentityMismatchError: The worker's packages or data differ from the host's.
        OpenbenchError: A task cannot be prepared, an engine cannot start, or a result cannot be sent to the host.
    """
    plan = plan_from_json(shard.plan)
    roles = make_roles(plan, fresh=True)
    chosen = [
        PreparedJob(plan.jobs[number], _prepared(catalog, shard, plan, number, roles), job.engine)
        for number, job in enumerate(shard.jobs)
    ]
    keys = {job.id: [_key(key) for key in job.keys] for job in shard.jobs}
    with tempfile.TemporaryDirectory() as scratch:
        for name, own in tasks_by_engine(chosen).items():
            tasks_of_shard, done = narrowed(own, plan, keys, shard.share)
            recording = ShardRecording(shard_plan(plan, scratch, done), done, report)
            recording.cancellation = cancellation or recording.cancellation
            logs = runner_of(name)(display="none").run(tasks_of_shard, roles, recording)
            if recording.failure:
                raise recording.failure
            if recording.interrupted(tasks_of_shard, logs):
                return False
    return True


def _prepared(catalog: Catalog, shard: Shard, plan: Plan, number: int, roles: Mapping[str, Model]) -> Task:
    """Return the task of a job, with its own model; `plan` is the shard's, parsed."""
    job, (kept, model, kept_roles) = shard.jobs[number], _task(catalog, shard.plan, number)
    task = copy(kept)
    task.model = make_model(plan.jobs[number].model, GenerateConfig(**plan.generate), fresh=True)
    for built, fresh in [(model, task.model), *((kept_roles[role], roles[role]) for role in roles)]:
        # Its scorers and solvers may have kept these models, whose connections belong to an earlier event loop.
        vars(built.api).update(vars(fresh.api))
    own = RecordedJob.of(task).identity
    if found := differences(job.identity, own):
        raise IdentityMismatchError(
            f"{Provenance.of(task).benchmark}: a worker's packages or data differ from the run's, so its samples would "
            f"not be comparable: {'; '.join(found)}. The first is the run's, the second the worker's."
        )
    record(task, job=job.id)
    return task


@lru_cache(maxsize=_KEPT)
def _task(catalog: Catalog, plan: str, number: int) -> tuple[Task, Model, Mapping[str, Model]]:
    """Return the task of a job, and the model and the roles that were active while it was built."""
    read = plan_from_json(plan)
    job, roles = read.jobs[number], make_roles(read, connect=False, fresh=True)
    model = make_model(job.model, GenerateConfig(**read.generate), connect=False, fresh=True)
    return build_job(catalog, read, job, model, roles), model, roles


def _key(key: Sequence[str | int]) -> SampleKey:
    id_, epoch = key
    return id_, int(epoch)


def _with_prices(plan: Plan, limits: Iterable[Mapping[str, Any]]) -> Plan:
    """Return a plan with the prices found by `limits_with_prices`, for machines without this project's settings."""
    prices = {model: dict(price) for each in limits for model, price in each.get("prices", {}).items()}
    if not prices or plan.generate.get("batch"):  # prices found for batches are already reduced
        return plan
    known: dict[str, dict[str, float]] = plan.options.get("model_cost_config", {})
    return replace(plan, options={**plan.options, "model_cost_config": {**known, **prices}})
