"""Runs a part of a run on a worker, which has the same packages and builds the tasks for itself.

The host makes a `Part` of what `SampleQueue.lease` returns: plain data, which can be pickled. The worker calls
`run_part`, in any thread, and sends each result to the host, which passes it to `SampleQueue.complete`.
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
from openbench_fast.shard import Keys, PartRecording, Tell, narrowed, plan_of_part

_KEPT = 8  # tasks that a worker keeps for the next part


@dataclass(frozen=True, kw_only=True)
class PartJob:
    """Samples of a job.

    Attributes:
        id: The id of the job in its run.
        engine: Who runs them, by name.
        identity: What they depend on, as the host has it.
        keys: Their ids and epochs.
    """

    id: str
    engine: str
    identity: Identity
    keys: Sequence[SampleKey]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Samples for a worker, as plain data.

    Attributes:
        plan: The plan with the jobs that they are of, as `plan_to_json` writes it. It may hold keys of providers.
        jobs: For each job of the plan, its samples.
        share: What it gets of the connections.
    """

    plan: str
    jobs: Sequence[PartJob]
    share: Share


class OtherIdentityError(OpenbenchError):
    """What samples depend on is not the same where they were to run."""


def make_part(plan: Plan, chosen: Iterable[PreparedJob], keys: Keys, share: Share) -> Part:
    """Make a part of a run for a worker elsewhere.

    Args:
        plan: The plan, as the recording has it.
        chosen: The jobs that are run.
        keys: By the id of its job, samples that `SampleQueue.take` handed out.
        share: What it gets of the connections.

    Raises:
        UsageError: An argument cannot be sent.
    """
    own = [each for each in chosen if job_id(each.task) in keys]
    priced = _with_prices(plan, [Provenance.of(each.task).identity.get("limits", {}) for each in own])
    return Part(
        plan=plan_to_json(replace(priced, jobs=[each.job for each in own], suites=(), whole=None)),
        jobs=[
            PartJob(
                id=job_id(each.task),
                engine=each.engine,
                identity=RecordedJob.of(each.task).identity,
                keys=keys[job_id(each.task)],
            )
            for each in own
        ],
        share=share,
    )


def run_part(catalog: Catalog, part: Part, tell: Tell, *, cancellation: Cancellation | None = None) -> bool:
    """Run a part of a run, in any thread; of a process, one at a time.

    The tasks that it prepares are kept for the next part, as long as the catalog is the same object. Models are made
    anew, since their connections belong to an event loop.

    Args:
        catalog: Where benchmarks are found.
        part: The part.
        tell: Is called for each sample that ended, with what `SampleQueue.complete` takes, as soon as it has; what it
            raises ends the part. It returns the ids of jobs that are given up, if it knows of any.
        cancellation: Ends the part when that is requested, from any thread.

    Returns:
        Whether it came to its end; not if it was stopped or interrupted.

    Raises:
        OtherIdentityError: What the samples depend on differs from what the host has.
        OpenbenchError: A task cannot be prepared, or an engine not start; or nobody hears what is told.
    """
    plan = plan_from_json(part.plan)
    roles = make_roles(plan, fresh=True)
    chosen = [
        PreparedJob(plan.jobs[number], _prepared(catalog, part, plan, number, roles), job.engine)
        for number, job in enumerate(part.jobs)
    ]
    keys = {job.id: [_key(key) for key in job.keys] for job in part.jobs}
    with tempfile.TemporaryDirectory() as aside:
        for name, own in tasks_by_engine(chosen).items():
            parts, done = narrowed(own, plan, keys, part.share)
            recording = PartRecording(plan_of_part(plan, aside, done), done, tell)
            recording.cancellation = cancellation or recording.cancellation
            logs = runner_of(name)(display="none").run(parts, roles, recording)
            if recording.failure:
                raise recording.failure
            if recording.interrupted(parts, logs):
                return False
    return True


def _prepared(catalog: Catalog, part: Part, plan: Plan, number: int, roles: Mapping[str, Model]) -> Task:
    """Return the task of a job, with a model of its own; the plan is the part's, read."""
    job, (kept, model, kept_roles) = part.jobs[number], _task(catalog, part.plan, number)
    task = copy(kept)
    task.model = make_model(plan.jobs[number].model, GenerateConfig(**plan.generate), fresh=True)
    for built, fresh in [(model, task.model), *((kept_roles[role], roles[role]) for role in roles)]:
        # Its scorers and solvers may have taken these while it was built, and asked in an event loop that has ended.
        vars(built.api).update(vars(fresh.api))
    own = RecordedJob.of(task).identity
    if found := differences(job.identity, own):
        raise OtherIdentityError(
            f"{Provenance.of(task).benchmark}: a worker has not what this run is made with, so that its samples would "
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
    """Return a plan with the prices that `limits_with_prices` found, for machines without this project's settings."""
    prices = {model: dict(price) for each in limits for model, price in each.get("prices", {}).items()}
    if not prices or plan.generate.get("batch"):  # found are those of batches; the plan has them as they are
        return plan
    known: dict[str, dict[str, float]] = plan.options.get("model_cost_config", {})
    return replace(plan, options={**plan.options, "model_cost_config": {**known, **prices}})
