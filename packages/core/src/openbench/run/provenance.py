"""What a log says of how its task was run: the command and the settings, without secrets, so that it can run again."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.model import Model

from openbench.redaction import redacted, redacted_command, redacted_name
from openbench.registry.versions import distribution_of, imported_distributions, is_loaded, loaded_versions
from openbench.run.plan import Job, ModelSpec, Plan
from openbench.run.plan_json import arguments_to_plain

# inspect logs what tasks, scorers and solvers were made with, and takes it from these.
_ARGUMENTS = ("__registry_params__", "__task_all_params__")
_OF_THE_COMMAND = {"command", "resume", "rerun_changed", "run", "whole"}


def settings(plan: Plan, job: Job) -> dict[str, Any]:
    """Return the part of a plan that is one job, as data without secrets; `plan_from_plain` makes a plan of it."""
    plain = redacted_plan(replace(plan, jobs=[job], suites=[], command=()))
    return {name: part for name, part in plain.items() if name not in _OF_THE_COMMAND}


def redacted_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as data without secrets.

    The names by which the run is continued stay as they are, but for the credentials in an address: a role or a member
    of a suite may be called `auth`, and a provider like a key that was given for it.
    """
    plain = replace(plan, whole=None).as_data()
    named = {
        "jobs": [_redacted_job(job) for job in plan.jobs],
        "model_roles": {role: _redacted_model(spec) for role, spec in plan.model_roles.items()},
        "suites": plain["suites"],
        "command": redacted_command(plan.command),
        "executor": redacted_command(plan.executor),
    }
    others = redacted({name: part for name, part in plain.items() if name not in named})
    return arguments_to_plain({**plain, **others, **named})


def provider_versions(model: Model, versions: Mapping[str, str]) -> dict[str, Any]:
    """Return what a log says of the distributions that a model's provider needs besides those of the benchmark.

    Args:
        model: The model.
        versions: The versions that the log has already.

    Returns:
        All `versions`, and under `provider` the names of those that only the provider needs.
    """
    module = sys.modules[type(model.api).__module__]
    own = distribution_of(module.__name__)
    imported = imported_distributions([Path(module.__file__)]) if module.__file__ else []
    needed = {*filter(is_loaded, imported), *([own[0]] if own else [])}
    added = sorted(needed - versions.keys())
    return {"versions": dict(sorted({**versions, **loaded_versions(added)}.items())), "provider": added}


def hide_arguments(task: Task) -> None:
    """Take secrets out of the arguments that a log holds of a task, its scorers and its solvers; they are made."""
    solvers = task.solver if isinstance(task.solver, Sequence) else [task.solver]
    for part in (task, *(task.scorer or ()), task.setup, *solvers):
        for name in _ARGUMENTS:
            given = getattr(part, name, None)
            if given and (shown := redacted(given)) != given:
                setattr(part, name, shown)


def _redacted_job(job: Job) -> dict[str, Any]:
    return {
        **job.as_data(),
        "benchmark": redacted_name(job.benchmark),
        "task_args": redacted(dict(job.task_args)),
        "model": _redacted_model(job.model),
    }


def _redacted_model(spec: ModelSpec) -> dict[str, Any]:
    address = None if spec.base_url is None else redacted_name(spec.base_url)
    return {"name": redacted_name(spec.name), "base_url": address, "args": redacted(dict(spec.args))}
