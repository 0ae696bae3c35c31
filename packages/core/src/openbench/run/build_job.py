"""From a job of a plan to a task that is ready to run: what every executor needs, wherever it runs."""

from collections.abc import Mapping
from functools import partial
from uuid import uuid4

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, Model

from openbench.baselines.reference import reference_solver
from openbench.datasets import content_digest
from openbench.errors import UsageError
from openbench.redaction import redacted_command
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.graders import check_graders
from openbench.run.identity import identity
from openbench.run.inspect_eval import with_models
from openbench.run.limits import know_prices, limits_with_prices
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.run.planning import BASELINE_ROLE
from openbench.run.provenance import hide_arguments, provider_versions, settings
from openbench.run.stop_reasons import of_answers
from openbench.tasks.build import build_task
from openbench.tasks.provenance import Provenance, record, solvers_of, source_digests


def build_job(catalog: Catalog, plan: Plan, job: Job, model: Model, roles: Mapping[str, Model]) -> Task:
    """Build a job's task, with its model, an id of its own, and the identity that a retry compares.

    The model and the roles are active while it is built, so that a scorer or solver may take them then.

    Raises:
        UsageError: Its arguments are wrong, the limit leaves no sample, or a grader cannot be made.
        OpenbenchError: It cannot be imported, or its rows cannot be had.
    """
    benchmark = job.resolved or find_benchmark(catalog, job.benchmark)
    build = partial(build_task, benchmark, job.task_args, sample=plan.sample)
    task = with_models(build, model, roles, GenerateConfig(**plan.generate))
    task.model = model
    _check_limit(benchmark.key, task, plan.options.get("limit"))
    know_prices(task, plan, model)
    if plan.options.get("score", True):
        check_graders(benchmark.key, task.scorer or (), {*plan.model_roles, *(task.model_roles or {})})
    if plan.reference:
        task.solver = reference_solver(task, benchmark.task_function())
    hide_arguments(task)
    own = Provenance.of(task)
    code = source_digests(benchmark, task, [own.dataset, *own.further_datasets])
    record(
        task,
        solvers=solvers_of(task, benchmark),
        source=content_digest(code),
        **provider_versions(model, own.versions),
        rule=job.rule,  # what decided when the plan was made; here the reference names the distribution
        in_place_of=list(job.in_place_of),
        job=uuid4().hex,
        command=redacted_command(plan.command),
        plan=settings(plan, job),
    )
    compared = identity(
        task,
        benchmark,
        code=code,
        task_args=job.task_args,
        model=str(model),
        generate=task.config.merge(model.config),
        reference=plan.reference,
        model_args=job.model.args,
        roles=_given_roles(plan, job),
        scored=plan.options.get("score", True),
        limits=limits_with_prices(task, plan, model),
    )
    record(task, identity=compared)
    task.scorer = list(map(of_answers, task.scorer or ())) or None
    return task


def job_id(task: Task) -> str:
    """Return the id that `build_job` gave a task."""
    return Provenance.of(task).job


def _given_roles(plan: Plan, job: Job) -> Mapping[str, ModelSpec]:
    """Return the models that were given a role: not the grader that comes with a baseline."""
    if not job.model.name.startswith("baseline/"):
        return plan.model_roles
    return {role: spec for role, spec in plan.model_roles.items() if (role, spec) != BASELINE_ROLE}


def _check_limit(key: str, task: Task, limit: int | tuple[int, int] | None) -> None:
    """A range beyond the end would give a run without a sample, and without a word."""
    if isinstance(limit, tuple) and limit[0] >= len(task.dataset):
        raise UsageError(f"{key}: --limit {limit[0]},{limit[1]} leaves nothing: it has {len(task.dataset)} samples.")
