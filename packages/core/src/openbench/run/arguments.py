"""Checks task arguments against the tasks' signatures, before anything is imported or run."""

import inspect
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import yaml

from openbench.benchmark import Benchmark
from openbench.errors import UsageError
from openbench.signature import Parameter, Signature

_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")
_LITERAL = re.compile(r"'[^']*'|\"[^\"]*\"")
_LISTS = frozenset({"list", "List", "Sequence", "Iterable", "tuple", "Tuple"})
_NO_TYPES = frozenset({"None", "Optional", "Union", "Literal", "typing"})


def parse_pairs(pairs: Sequence[str], option: str) -> dict[str, str]:
    """Split `key=value` pairs.

    Raises:
        UsageError: One is not of this form, or a key comes twice.
    """
    parsed: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise UsageError(f"{option} {pair}: expected key=value.")
        if key in parsed:
            raise UsageError(f"{option} {pair}: {key} is given twice.")
        parsed[key] = value
    return parsed


def parse_value(text: str) -> Any:
    """Read a value as YAML does (`1`, `0.5`, `true`, `[a, b]`, `null`); commas outside brackets make a list.

    What YAML would make of a date, a comment or a text with a colon stays a text; `1e-3` is a number.
    """
    if not text.startswith(("[", "{", "'", '"')):
        if "," in text:
            return [parse_value(part) for part in text.split(",")]
        if not text or ":" in text or "#" in text:
            return text
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return text
    if isinstance(value, str) and _EXPONENT.fullmatch(value):
        return float(value)
    return value if value is None or text[0] in "[{" or isinstance(value, str | float | int) else text


def task_arguments(benchmarks: Sequence[Benchmark], given: Mapping[str, str]) -> list[dict[str, Any]]:
    """Give each benchmark the arguments that its task function takes.

    Args:
        benchmarks: The benchmarks.
        given: Values as typed, by name.

    Returns:
        The arguments of each benchmark, in order.

    Raises:
        UsageError: A name fits no benchmark, or a required argument is missing.
    """
    signatures = [_signature(benchmark) for benchmark in benchmarks]
    for key in given:
        if not any(signature.accepts(key) for signature in signatures):
            raise UsageError(_unknown(key, benchmarks, signatures))
    arguments = []
    for benchmark, signature in zip(benchmarks, signatures, strict=True):
        missing = [name for name, p in signature.parameters.items() if p.default is None and name not in given]
        if missing:
            needed = " ".join(f"-T {name}=VALUE" for name in missing)
            raise UsageError(f"{benchmark.key} needs an argument: {needed}.")
        arguments.append(
            {key: _typed(text, signature.parameters.get(key)) for key, text in given.items() if signature.accepts(key)}
        )
    return arguments


def _typed(text: str, parameter: Parameter | None) -> Any:
    """Leave the text alone where only texts are expected: `-T split=2024` is no number."""
    value = parse_value(text)
    if parameter is None or parameter.annotation is None:
        return value
    annotation = _LITERAL.sub("str", parameter.annotation.strip("'\""))
    names = set(re.findall(r"\w+", annotation))
    others = names - _LISTS - _NO_TYPES
    if value is None and (names & {"None", "Optional"} or parameter.default == "None" or others != {"str"}):
        return None
    single = not names & _LISTS or "str" in re.sub(r"\[.*?\]", "", annotation)
    if others == {"str"} and not names & _LISTS:
        return text
    if others == {"str"} and not text.startswith("["):
        return text if single and "," not in text else text.split(",")
    return value if single or isinstance(value, list) else [value]


def _signature(benchmark: Benchmark) -> Signature:
    """Read the signature statically; a function that is made at run time must be imported to be asked."""
    read = benchmark.signature()
    if read is not None:
        return read
    parameters: dict[str, Parameter] = {}
    any_keyword = False
    for parameter in inspect.signature(benchmark.task_function()).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            any_keyword = True
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            default = None if parameter.default is parameter.empty else repr(parameter.default)
            parameters[parameter.name] = Parameter(parameter.name, None, default)
    return Signature(parameters, open=any_keyword)


def _unknown(key: str, benchmarks: Sequence[Benchmark], signatures: Sequence[Signature]) -> str:
    known = {name for signature in signatures for name in signature.parameters}
    close = get_close_matches(key, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    takes = "; ".join(
        f"{benchmark.key} takes {', '.join(signature.parameters) or 'none'}"
        for benchmark, signature in zip(benchmarks, signatures, strict=True)
    )
    return f"-T {key}: no benchmark of this run has this argument.{hint} {takes}."
