"""Arguments as JSON: what JSON has no type for, such as a date, is YAML text, as which it was typed."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import yaml

_YAML = "yaml"


def to_plain(value: Any, other: Callable[[Any], Any]) -> Any:
    """Return a value as data that JSON holds unchanged; `from_plain` makes the value of it.

    Args:
        value: What was typed: as YAML has it, with tuples for lists.
        other: What to make of anything else.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float() if isfinite(value):
            return value
        case list() | tuple():
            return [to_plain(part, other) for part in value]
        case Mapping() if all(isinstance(key, str) for key in value) and set(value) != {_YAML}:
            return {key: to_plain(part, other) for key, part in value.items()}
    try:
        return {_YAML: yaml.safe_dump(value, default_flow_style=True)}
    except yaml.YAMLError:
        return other(value)


def from_plain(value: Any) -> Any:
    """Return the value that `to_plain` was given."""
    match value:
        case list():
            return [from_plain(part) for part in value]
        case dict() if set(value) == {_YAML}:
            return yaml.safe_load(value[_YAML])
        case dict():
            return {key: from_plain(part) for key, part in value.items()}
    return value


def arguments_to_plain(plan: dict[str, Any], other: Callable[[Any], Any] = str) -> dict[str, Any]:
    """Return a plan's data with the arguments of its tasks and models as `to_plain` has them."""
    return _with_arguments(plan, lambda value: to_plain(value, other))


def arguments_from_plain(plan: dict[str, Any]) -> dict[str, Any]:
    """Return a plan's data with its arguments as they were."""
    return _with_arguments(plan, from_plain)


def _with_arguments(plan: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    def model(spec: Mapping[str, Any]) -> dict[str, Any]:
        return {**spec, "args": changed(spec["args"])}

    def changed(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: change(value) for name, value in arguments.items()}

    jobs = [{**job, "task_args": changed(job["task_args"]), "model": model(job["model"])} for job in plan["jobs"]]
    return {**plan, "jobs": jobs, "model_roles": {role: model(spec) for role, spec in plan["model_roles"].items()}}
