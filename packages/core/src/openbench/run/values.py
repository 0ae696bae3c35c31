"""Reads values that are typed as `key=value`: as YAML does, or as an annotation says."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from openbench.errors import UsageError

_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")
_SCALARS = {"str", "int", "float", "bool"}
_LISTS = {"list", "List", "Sequence", "Iterable", "tuple", "Tuple"}


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


@dataclass(frozen=True)
class _Accepted:
    """What an annotation takes: names of scalar types and `None`, and what the items of a list may be."""

    scalars: frozenset[str]
    items: "_Accepted | None" = None

    def __or__(self, other: "_Accepted") -> "_Accepted":
        return _Accepted(self.scalars | other.scalars, self.items or other.items)


def typed_value(text: str, annotation: str | None) -> Any:
    """Read a value for a parameter: `2024` is a text for `str`, and a number for `int`.

    An annotation of anything but scalars, lists of them and unions leaves it to `parse_value`.

    Raises:
        ValueError: The annotation takes no such value.
    """
    accepted = _accepted(annotation)
    return parse_value(text) if accepted is None else _read(text.strip(), accepted)


def _read(text: str, accepted: _Accepted) -> Any:
    value = parse_value(text)
    if value is None and "None" in accepted.scalars:
        return None
    if accepted.items and (isinstance(value, list) or not accepted.scalars - {"None"}):
        parts = _texts(text) if text.startswith("[") else text.split(",")
        return [_read(part.strip(), accepted.items) for part in parts]
    if isinstance(value, bool):
        if "bool" in accepted.scalars:
            return value
    elif isinstance(value, int) and "int" in accepted.scalars:
        return value
    elif isinstance(value, int | float) and "float" in accepted.scalars:
        return float(value)
    if "str" in accepted.scalars:
        return text
    raise ValueError(text)


def _texts(text: str) -> list[str]:
    """Read a list in brackets with its items as they are typed, without their quotes."""
    return list(map(str, yaml.load(text, Loader=yaml.BaseLoader)))  # noqa: S506 - this one makes texts only


def _accepted(annotation: str | None) -> _Accepted | None:
    if annotation is None:
        return None
    try:
        return _of_node(ast.parse(annotation, mode="eval").body)
    except SyntaxError:
        return None


def _of_node(node: ast.expr) -> _Accepted | None:
    match node:
        case ast.Constant(value=None):
            return _Accepted(frozenset({"None"}))
        case ast.Constant(value=str(quoted)):
            return _accepted(quoted)
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in _SCALARS:
            return _Accepted(frozenset({name}))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([left, right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _of_generic(name, inner.elts if isinstance(inner, ast.Tuple) else [inner])
    return None


def _of_generic(name: str, inner: Sequence[ast.expr]) -> _Accepted | None:
    if name in _LISTS:
        items = _of_node(inner[0])
        return _Accepted(frozenset(), items) if items else None
    if name == "Literal" and all(isinstance(value, ast.Constant) and isinstance(value.value, str) for value in inner):
        return _Accepted(frozenset({"str"}))
    if name == "Union":
        return _union(inner)
    optional = _of_node(inner[0]) if name == "Optional" else None
    return optional | _Accepted(frozenset({"None"})) if optional else None


def _union(nodes: Sequence[ast.expr]) -> _Accepted | None:
    parts = [part for part in map(_of_node, nodes) if part]
    if len(parts) < len(nodes):
        return None
    whole = parts[0]
    for part in parts[1:]:
        whole |= part
    return whole
