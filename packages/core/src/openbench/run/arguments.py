"""Arguments given as `key=value`: reads the values, and checks them against the signatures of tasks."""

import ast
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import yaml
from pydantic import TypeAdapter

from openbench.errors import OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.sources import Parameter, Signature, made_signature

_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")
# The annotations that decide how a value is read; any other name leaves it to `parse_value`.
_TYPES: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "List": list,
    "Tuple": tuple,
    "Sequence": Sequence,
    "Iterable": Sequence,
    "Optional": typing.Optional,
    "Union": typing.Union,
    "Literal": typing.Literal,
    "typing": typing,
}
_NODES = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant),
    *(ast.BinOp, ast.BitOr, ast.Load, ast.UnaryOp, ast.USub),
)


def parse_pairs(pairs: Sequence[str], option: str) -> dict[str, str]:
    """Split `key=value` pairs."""
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
    """Read a value as YAML (`1`, `0.5`, `true`, `[a, b]`, `null`); commas outside brackets make a list.

    What YAML would read as a date, a comment or a mapping without braces stays a string; `1e-3` is a number.
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


def task_arguments(
    benchmarks: Sequence[Benchmark], given: Mapping[str, Any], *, parse: bool = True
) -> list[dict[str, Any]]:
    """Return the arguments that the task function of each benchmark takes.

    Args:
        benchmarks: The benchmarks.
        given: Values by name.
        parse: Whether the values are text from a command line, to be read as the parameters are annotated.

    Raises:
        UsageError: A name fits no benchmark, a value is of the wrong type, or a required argument is missing.
    """
    option = "-T " if parse else ""
    signatures = [_signature(benchmark, several=len(benchmarks) > 1) for benchmark in benchmarks]
    for key in given if any(signatures) else ():  # otherwise every job fails with the reason
        if not any(signature and signature.accepts(key) for signature in signatures):
            raise UsageError(_unknown(key, option, benchmarks, signatures))
    arguments = []
    for benchmark, read in zip(benchmarks, signatures, strict=True):
        signature = read or Signature({}, open=True)  # what is given is kept for the day that it can be imported
        missing = [name for name, p in signature.parameters.items() if p.default is None and name not in given]
        if missing:
            needed = " ".join(f"{option}{name}=VALUE" for name in missing)
            raise UsageError(f"{benchmark.key} needs an argument: {needed}.")
        arguments.append(
            {
                key: _typed(benchmark, key, value, signature.parameters.get(key)) if parse else value
                for key, value in given.items()
                if signature.accepts(key)
            }
        )
    return arguments


def signature_of(benchmark: Benchmark) -> Signature:
    """Return a task's signature, read statically or, for a function made at run time, by importing it."""
    return benchmark.signature() or made_signature(benchmark.task_function())


def _typed(benchmark: Benchmark, key: str, text: str, parameter: Parameter | None) -> Any:
    """Read a value by the annotation of its parameter: `2024` is a string for `str`, and a number for `int`."""
    annotation = parameter.annotation if parameter else None
    adapter = _adapter(annotation) if annotation else None
    if adapter is None:
        return parse_value(text)
    for candidate in _readings(text.strip()):
        try:
            value = adapter.validate_json(json.dumps(candidate, default=str), strict=True)
        except (TypeError, ValueError):  # a ValidationError is one
            continue
        return list(value) if isinstance(value, tuple) else value
    raise UsageError(f"-T {key}={text}: {benchmark.key} expects {annotation}.")


def _readings(text: str) -> Iterator[Any]:
    """Yield the possible values of a text, from the most specific to the text itself and lists of one item."""
    value = parse_value(text)
    yield value
    if isinstance(value, list):
        # Of a list in brackets, the items as typed, without their quotes.
        items = yaml.load(text, Loader=yaml.BaseLoader) if text.startswith("[") else text.split(",")  # noqa: S506
        texts = [str(item).strip() for item in items]
        yield from ([parse_value(item) for item in texts], texts)
    yield from (text, [value], [text])


def _adapter(annotation: str) -> TypeAdapter[Any] | None:
    """Return the validator of an annotation; None unless it consists of scalars and lists of them."""
    try:
        # Evaluated below, so it must not do anything: it may come from the environment of another process.
        if not all(isinstance(node, _NODES) for node in ast.walk(ast.parse(annotation, mode="eval"))):
            return None
        holder = types.SimpleNamespace(__annotations__={"value": annotation})
        return TypeAdapter(typing.get_type_hints(holder, globalns={**_TYPES, "__builtins__": {}})["value"])
    except Exception:  # noqa: BLE001 - whatever it is, it is not one of these types
        return None


def _signature(benchmark: Benchmark, *, several: bool) -> Signature | None:
    """Return the signature; None for one of several benchmarks that cannot be imported: its job fails."""
    try:
        return signature_of(benchmark)
    except OpenbenchError:
        if not several:
            raise
        return None


def _unknown(key: str, option: str, benchmarks: Sequence[Benchmark], signatures: Sequence[Signature | None]) -> str:
    known = {name for signature in signatures if signature for name in signature.parameters}
    close = get_close_matches(key, known, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    takes = "; ".join(
        f"{benchmark.key} takes {', '.join(signature.parameters) or 'none'}"
        if signature
        else f"{benchmark.key} cannot be imported"
        for benchmark, signature in zip(benchmarks, signatures, strict=True)
    )
    if option:
        return f"{option}{key}: no benchmark of this run has this argument.{hint} {takes}."
    return f"{', '.join(benchmark.key for benchmark in benchmarks)} has no argument {key!r}.{hint} {takes}."
