"""Plans as JSON: what a run records, and what executors send to other processes.

Arguments of tasks and models may be what YAML has and JSON lacks, such as a date: that is YAML text, as it was typed.
"""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import yaml

from openbench.errors import UsageError
from openbench.run.plan import EvalOptions, GenerateOptions, Job, ModelSpec, Plan, Suite

_LIMIT = "limit"
_YAML = "yaml"


def plan_to_json(plan: Plan) -> str:
    """Write a plan.

    Raises:
        UsageError: YAML has no type for an argument.
    """
    data = plan.as_data()
    whole = arguments_to_plain(data["whole"], _refuse) if data["whole"] else None
    return json.dumps({**arguments_to_plain(data, _refuse), "whole": whole})


def plan_from_json(text: str) -> Plan:
    """Read what `plan_to_json` wrote; every sequence but the command comes back as a list."""
    return plan_from_plain(json.loads(text))


def plan_from_plain(plain: Mapping[str, Any]) -> Plan:
    """Return the plan of parsed JSON, which `plan_to_json` or `openbench.run.provenance.redacted_plan` wrote."""
    plain = _with_arguments(dict(plain), _from_plain)
    options = dict(plain["options"])
    if isinstance(options.get(_LIMIT), list):
        options[_LIMIT] = tuple(options[_LIMIT])
    return Plan(
        jobs=[Job(**{**job, "model": ModelSpec(**job["model"])}) for job in plain["jobs"]],
        sample=plain["sample"],
        reference=plain["reference"],
        model_roles={role: ModelSpec(**spec) for role, spec in plain["model_roles"].items()},
        options=EvalOptions(**options),  # type: ignore[typeddict-item]
        generate=GenerateOptions(**plain["generate"]),  # type: ignore[typeddict-item]
        engine=plain.get("engine", "auto"),
        processes=plain.get("processes"),
        suites=[Suite(**suite) for suite in plain["suites"]],
        command=tuple(plain.get("command", ())),
        resume=plain.get("resume"),
        rerun_changed=plain.get("rerun_changed", False),
        executor=tuple(plain.get("executor", ())),
        run=plain.get("run"),
        whole=plan_from_plain(whole) if (whole := plain.get("whole")) else None,
    )


def arguments_to_plain(plan: dict[str, Any], other: Callable[[Any], Any] = str) -> dict[str, Any]:
    """Return a plan's data with arguments that JSON holds unchanged.

    Args:
        plan: The data, as `Plan.as_data` has it.
        other: What to make of a value for which YAML has no type.
    """
    return _with_arguments(plan, lambda value: _to_plain(value, other))


def _with_arguments(plan: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    def model(spec: Mapping[str, Any]) -> dict[str, Any]:
        return {**spec, "args": changed(spec["args"])}

    def changed(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: change(value) for name, value in arguments.items()}

    jobs = [{**job, "task_args": changed(job["task_args"]), "model": model(job["model"])} for job in plan["jobs"]]
    return {**plan, "jobs": jobs, "model_roles": {role: model(spec) for role, spec in plan["model_roles"].items()}}


def _to_plain(value: Any, other: Callable[[Any], Any]) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float() if isfinite(value):
            return value
        case list() | tuple():
            return [_to_plain(part, other) for part in value]
        case Mapping() if all(isinstance(key, str) for key in value) and set(value) != {_YAML}:
            return {key: _to_plain(part, other) for key, part in value.items()}
    try:
        return {_YAML: yaml.safe_dump(value, default_flow_style=True)}
    except yaml.YAMLError:
        return other(value)


def _from_plain(value: Any) -> Any:
    match value:
        case list():
            return [_from_plain(part) for part in value]
        case dict() if set(value) == {_YAML}:
            return yaml.safe_load(value[_YAML])
        case dict():
            return {key: _from_plain(part) for key, part in value.items()}
    return value


def _refuse(value: object) -> object:
    raise UsageError(
        f"{value} is a {type(value).__name__}, which cannot be sent to another process: expected what YAML has, such "
        "as texts, numbers, dates and lists."
    )
