"""Plans as JSON: what a run records, and what executors send to other processes.

Arguments of tasks and models may have types that YAML has and JSON lacks, such as dates: those are written as YAML.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import yaml

from openbench.errors import UsageError
from openbench.redaction import redacted, redacted_command, redacted_name
from openbench.run.plan import EvalOptions, Job, ModelSpec, Plan, Suite

_YAML = "yaml"


def plan_to_json(plan: Plan) -> str:
    """Write a plan as JSON.

    Raises:
        UsageError: An argument has a type that YAML lacks.
    """
    data = plan.as_data()
    whole = _jsonable(data["whole"], _refuse) if data["whole"] else None
    return json.dumps({**_jsonable(data, _refuse), "whole": whole})


def plan_from_json(text: str) -> Plan:
    """Read what `plan_to_json` wrote; every sequence except the commands becomes a list."""
    return plan_from_plain(json.loads(text))


def plan_from_plain(plain: Mapping[str, Any]) -> Plan:
    """Return the plan of parsed JSON that `plan_to_json` or `redacted_plan` made."""
    plain = _with_arguments(plain, _from_jsonable)
    options = dict(plain["options"])
    if isinstance(limit := options.get("limit"), list):
        options["limit"] = tuple(limit)
    own = {
        **plain,
        "jobs": [Job(**{**job, "model": ModelSpec(**job["model"])}) for job in plain["jobs"]],
        "model_roles": {role: ModelSpec(**spec) for role, spec in plain["model_roles"].items()},
        "options": EvalOptions(**options),  # type: ignore[typeddict-item]
        "suites": [Suite(**suite) for suite in plain["suites"]],
        "command": tuple(plain.get("command", ())),
        "executor": tuple(plain.get("executor", ())),
        "whole": plan_from_plain(whole) if (whole := plain.get("whole")) else None,
    }
    return Plan(**{name: own[name] for name in Plan.__dataclass_fields__ if name in own})


def redacted_plan(plan: Plan) -> dict[str, Any]:
    """Return a plan as data that JSON can hold, without secrets.

    The names that a resume needs stay as they are, except for credentials in URLs: a role or a member of a suite may
    be called `auth`, and a provider may be called like a key.
    """
    data = replace(plan, whole=None).as_data()
    named = {
        "jobs": [_redacted_job(job) for job in plan.jobs],
        "model_roles": {role: _redacted_model(spec) for role, spec in plan.model_roles.items()},
        "suites": data["suites"],
        "command": redacted_command(plan.command),
        "executor": redacted_command(plan.executor),
    }
    others = redacted({name: part for name, part in data.items() if name not in named})
    return _jsonable({**data, **others, **named})


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


def _jsonable(data: Mapping[str, Any], other: Callable[[Any], Any] = str) -> dict[str, Any]:
    """Return a plan's data with arguments that JSON can hold; `other` converts values for which YAML has no type."""
    return _with_arguments(data, lambda value: _to_jsonable(value, other))


def _with_arguments(data: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    def model(spec: Mapping[str, Any]) -> dict[str, Any]:
        return {**spec, "args": changed(spec["args"])}

    def changed(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: change(value) for name, value in arguments.items()}

    jobs = [{**job, "task_args": changed(job["task_args"]), "model": model(job["model"])} for job in data["jobs"]]
    return {**data, "jobs": jobs, "model_roles": {role: model(spec) for role, spec in data["model_roles"].items()}}


def _to_jsonable(value: Any, other: Callable[[Any], Any]) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float() if isfinite(value):
            return value
        case list() | tuple():
            return [_to_jsonable(part, other) for part in value]
        case Mapping() if all(isinstance(key, str) for key in value) and set(value) != {_YAML}:
            return {key: _to_jsonable(part, other) for key, part in value.items()}
    try:
        return {_YAML: yaml.safe_dump(value, default_flow_style=True)}
    except yaml.YAMLError:
        return other(value)


def _from_jsonable(value: Any) -> Any:
    match value:
        case list():
            return [_from_jsonable(part) for part in value]
        case dict() if set(value) == {_YAML}:
            return yaml.safe_load(value[_YAML])
        case dict():
            return {key: _from_jsonable(part) for key, part in value.items()}
    return value


def _refuse(value: object) -> object:
    raise UsageError(
        f"{value} is a {type(value).__name__}, which cannot be sent to another process: expected a YAML value, such "
        "as a string, number, date or list."
    )
