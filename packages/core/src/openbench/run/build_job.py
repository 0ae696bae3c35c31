"""Builds the task of a job, ready to run, with the provenance for its log."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from inspect_ai import Task
from inspect_ai.model import GenerateConfig, Model

from openbench.baselines.reference import reference_solver
from openbench.datasets import content_digest
from openbench.errors import UsageError
from openbench.redaction import redacted, redacted_command
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.discovery import CHECKS, registered
from openbench.registry.plugin_loader import load_function
from openbench.registry.versions import distribution_of, imported_distributions, needed_versions
from openbench.run.identity import identity
from openbench.run.inspect_eval import with_models
from openbench.run.plan import Job, ModelSpec, Plan, redacted_plan
from openbench.run.planning import BASELINE_ROLE
from openbench.scorers.reasons import of_answers
from openbench.tasks.build import build_task
from openbench.tasks.provenance import Provenance, record, solvers_of, source_digests

_LOGGED_ARGUMENTS = ("__registry_params__", "__task_all_params__")
"""Attributes from which Inspect logs the arguments of tasks, scorers and solvers."""
_COMMAND_FIELDS = {"command", "resume", "rerun_changed", "run", "whole"}


def build_job(catalog: Catalog, plan: Plan, job: Job, model: Model, roles: Mapping[str, Model]) -> Task:
    """Build a job's task, with its model, a new job id, and the identity that a resume compares.

    The model and the roles are active during the build: scorers and solvers may call `get_model()`.
    """
    benchmark = job.resolved or find_benchmark(catalog, job.benchmark)
    build = partial(build_task, benchmark, job.task_args, sample=plan.sample)
    task = with_models(build, model, roles, GenerateConfig(**plan.generate))
    task.model = model
    _check_limit(benchmark.key, task, plan.options.get("limit"))
    check_before_run(benchmark.key, task, plan)
    if plan.reference:
        task.solver = reference_solver(task, benchmark.task_function())
    _redact_arguments(task)
    own = Provenance.of(task)
    code = source_digests(benchmark, task, [own.dataset, *own.further_datasets])
    plan_of_job = redacted_plan(replace(plan, jobs=[job], suites=[], command=()))
    record(
        task,
        solvers=solvers_of(task, benchmark),
        source=content_digest(code),
        **_provider_versions(model, own.versions),
        rule=job.rule,  # of the plan; resolved here, a reference with its distribution would always be `chosen`
        in_place_of=list(job.in_place_of),
        job=uuid4().hex,
        command=redacted_command(plan.command),
        plan={name: part for name, part in plan_of_job.items() if name not in _COMMAND_FIELDS},
    )
    compared = identity(task, benchmark, replace(plan, model_roles=_chosen_roles(plan, job)), job, code)
    record(task, identity=compared)
    task.scorer = list(map(of_answers, task.scorer or ())) or None
    return task


def job_id(task: Task) -> str:
    """Return the id that `build_job` gave a task."""
    return Provenance.of(task).job


def check_before_run(benchmark: str, task: Task, plan: Plan) -> None:
    """Call each function in the entry-point group `openbench.checks`, which reports what would fail in the run.

    Raises:
        UsageError: The task cannot run with this plan.
    """
    for check in registered(CHECKS):
        load_function(f"the check {check.name}", [check])(benchmark, task, plan)


def _chosen_roles(plan: Plan, job: Job) -> Mapping[str, ModelSpec]:
    """Return the models of roles, except for the grader that comes with a baseline."""
    if not job.model.name.startswith("baseline/"):
        return plan.model_roles
    return {role: spec for role, spec in plan.model_roles.items() if (role, spec) != BASELINE_ROLE}


def _check_limit(key: str, task: Task, limit: int | tuple[int, int] | None) -> None:
    # Inspect would run no sample and report success.
    if isinstance(limit, tuple) and limit[0] >= len(task.dataset):
        raise UsageError(f"{key}: --limit {limit[0]},{limit[1]} selects none of its {len(task.dataset)} samples.")


def _redact_arguments(task: Task) -> None:
    """Remove secrets from the arguments that logs hold of a task, its scorers and its solvers; all are made already."""
    solvers = task.solver if isinstance(task.solver, Sequence) else [task.solver]
    for part in (task, *(task.scorer or ()), task.setup, *solvers):
        for name in _LOGGED_ARGUMENTS:
            given = getattr(part, name, None)
            if given and (clean := redacted(given)) != given:
                setattr(part, name, clean)


def _provider_versions(model: Model, versions: Mapping[str, str]) -> dict[str, Any]:
    """Return `versions` with those of the model's provider, and the names that this added."""
    module = sys.modules[type(model.api).__module__]
    own = distribution_of(module.__name__)
    imported = imported_distributions([Path(module.__file__)]) if module.__file__ else []
    added = sorted({*imported, *([own[0]] if own else [])} - versions.keys())
    return {"versions": dict(sorted({**versions, **needed_versions(added)}.items())), "provider": added}
