"""Compares calls with the accepted ones, by the rules of BFCL's checker for Python.

Patil et al. (2025), The Berkeley Function Calling Leaderboard, https://openreview.net/forum?id=2GmDdhBdDk. The rules
are those of its `ast_checker`, with the deviations listed in the README.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from openbench_tools.calls import Call, parse_calls

Function = Mapping[str, Any]
"""An offered function: `name`, `description` and `parameters`, a JSON schema with Python's types."""

Accepted = Mapping[str, Mapping[str, Sequence[Any]]]
"""An accepted call: the function's name, and the accepted values of each parameter; "" if it may be omitted."""

TOOLS, GROUND_TRUTH, CATEGORY = "tools", "ground_truth", "category"
"""Keys of a sample's metadata: the offered functions, the accepted calls, and the category."""

TYPES: Mapping[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}
"""The declared types, and their types in Python."""

_LISTS = {"array", "tuple"}
_UNHEARD = re.compile(r"[ ,./\-_*^]")


def check_types(functions: Sequence[Function]) -> None:
    """Check that the types of all parameters are in `TYPES`.

    Raises:
        ValueError: A type is not.
    """
    for function in functions:
        for name, schema in function["parameters"]["properties"].items():
            items = [schema["items"]] if schema["type"] in _LISTS else []
            for each in (schema, *items):
                if each["type"] not in TYPES:
                    raise ValueError(
                        f"{function['name']}: the parameter {name!r} has the type {each['type']!r}; "
                        f"expected one of {', '.join(TYPES)}"
                    )


def mismatch(calls: Sequence[Call], functions: Sequence[Function], accepted: Sequence[Accepted]) -> str | None:
    """Return why calls do not match the accepted ones, in any order; None if they match.

    Each accepted call must match a different call, and no call may remain.
    """
    if len(calls) != len(accepted):
        return f"{len(calls)} calls where {len(accepted)} are expected"
    reasons = [[_call_mismatch(call, functions, each) for call in calls] for each in accepted]
    if len(calls) == 1:
        return reasons[0][0]
    unmatched = _unmatched([[reason is None for reason in row] for row in reasons])
    if unmatched is None:
        return None
    return f"no call is left for {next(iter(accepted[unmatched]))} (call {unmatched + 1} of {len(accepted)})"


def _unmatched(fits: Sequence[Sequence[bool]]) -> int | None:
    """Return the first row that cannot be assigned a separate column; None if all can (augmenting paths)."""
    owners: dict[int, int] = {}

    def assign(row: int, seen: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in seen:
                seen.add(column)
                if column not in owners or assign(owners[column], seen):
                    owners[column] = row
                    return True
        return False

    return next((row for row in range(len(fits)) if not assign(row, set())), None)


def _call_mismatch(call: Call, functions: Sequence[Function], accepted: Accepted) -> str | None:
    [(name, parameters)] = accepted.items()
    function = next(each for each in functions if each["name"] == name)
    if call.name != name:
        return f"{call.name} is called, not {name}"
    if call.unnamed:
        return f"{name}: {call.unnamed} arguments have no name"
    required = function["parameters"]["required"]
    if missing := next((each for each in required if each not in call.arguments), None):
        return f"{name}: the required {missing!r} is missing"
    for parameter, value in call.arguments.items():
        schema = function["parameters"]["properties"].get(parameter)
        if schema is None or parameter not in parameters:
            return f"{name}: {parameter!r} is unexpected"
        if not value_fits(value, schema, parameters[parameter]):
            return f"{name}: {parameter}={value!r:.200} is not accepted"
    needed = (each for each, values in parameters.items() if "" not in values and each not in call.arguments)
    return next((f"{name}: {each!r} is missing" for each in needed), None)


def value_fits(value: Any, schema: Mapping[str, Any], accepted: Sequence[Any]) -> bool:
    """Return whether a value has the declared type, and is one of the accepted values.

    An integer counts as a float. If the accepted values have another type than the declared one, such as the name of a
    variable, a value of that type is compared exactly. Texts are compared without case, spaces and most punctuation,
    also in lists and dicts, one level deep.
    """
    expected = TYPES[schema["type"]]
    inner = TYPES[schema["items"]["type"]] if schema["type"] in _LISTS else None
    value = _converted(value, schema["type"])
    kind = _kind(accepted)
    if type(value) is expected:
        if inner and not any(_elements_typed(value, inner, each) for each in accepted):
            return False
        as_is = kind not in {None, expected}
    elif kind is type(value):
        as_is = True
    else:
        return False
    return value in accepted if as_is else _one_of(value, expected, inner, accepted)


def _converted(value: Any, declared: str) -> Any:
    if declared == "tuple" and type(value) is tuple:
        return list(value)
    if declared == "float" and type(value) is int and abs(value) < sys.float_info.max:
        return float(value)
    return value


def _one_of(value: Any, expected: type, inner: type | None, accepted: Sequence[Any]) -> bool:
    if expected is dict:
        return any(_dict_fits(value, each) for each in accepted)
    if inner is dict:
        return any(len(value) == len(each) and all(map(_dict_fits, value, each)) for each in accepted)
    if expected is list:
        return [*map(_plain, value)] in [[*map(_plain, each)] for each in accepted]
    if expected is str:
        return _plain(value) in [_plain(each) for each in accepted if isinstance(each, str)]
    return value in accepted


def _dict_fits(value: Any, accepted: Any) -> bool:
    """Return whether each key has one of its accepted values, and no required key is missing."""
    if not isinstance(value, dict) or not isinstance(accepted, dict):
        return False
    known = all(key in accepted and _plain(of) in [*map(_plain, accepted[key])] for key, of in value.items())
    return known and all(key in value or "" in values for key, values in accepted.items())


def _elements_typed(value: Any, inner: type, accepted: Any) -> bool:
    if not isinstance(accepted, list):
        return True  # such as "", for a list that may be omitted
    kinds = {inner, _kind(accepted)}
    return all(type(each) in kinds for each in value)


def _kind(values: Sequence[Any]) -> type | None:
    """Return the type of the first value that is not ""; None if there is none."""
    return next((type(value) for value in values if value != ""), None)


def _plain(value: Any) -> Any:
    return _UNHEARD.sub("", value).lower().replace("'", '"') if isinstance(value, str) else value


def accepted_calls(ground_truth: str | Sequence[str | Accepted]) -> list[Accepted]:
    """Return accepted calls, parsing those written in Python, in which each argument has one accepted value.

    Raises:
        ValueError: A text is not a call.
    """
    given = [ground_truth] if isinstance(ground_truth, str) else ground_truth
    accepted: list[Accepted] = []
    for each in given:
        if isinstance(each, str):
            written = parse_calls(each)
            accepted += [{call.name: {name: [of] for name, of in call.arguments.items()}} for call in written]
        else:
            accepted.append(each)
    return accepted


def reference_calls(
    category: str, functions: Sequence[Function], ground_truth: str | Sequence[str | Accepted]
) -> list[Call]:
    """Return right calls for a sample of a category: an example of each accepted call."""
    if "relevance" in category and "irrelevance" not in category:
        return [Call(functions[0]["name"])]
    return [first_accepted(each, functions) for each in accepted_calls(ground_truth)]


def first_accepted(accepted: Accepted, functions: Sequence[Function]) -> Call:
    """Return an accepted call with the first value of each parameter that is required or may not be omitted."""
    [(name, parameters)] = accepted.items()
    required = next(each for each in functions if each["name"] == name)["parameters"]["required"]
    given = {each: _needed(values, required=each in required) for each, values in parameters.items()}
    return Call(name, {each: _example(values[0]) for each, values in given.items() if values})


def _needed(values: Sequence[Any], *, required: bool) -> Sequence[Any]:
    """Return the values of a parameter that must be given; none if it may be omitted."""
    return [] if "" in values and not required else [value for value in values if value != ""]


def _example(value: Any) -> Any:
    """Return an example of an accepted value, in which dicts list the accepted values of each key."""
    if isinstance(value, list):
        return [_example(each) for each in value]
    if isinstance(value, dict):
        return {key: needed[0] for key, values in value.items() if (needed := _needed(values, required=False))}
    return value
