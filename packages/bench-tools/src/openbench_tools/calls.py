"""Function calls as plain data, and their representation in Python: parsed with `ast`, never executed."""

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openbench.scorers.cleaning import strip_reasoning


@dataclass(frozen=True)
class Call:
    """One call of a function.

    Attributes:
        name: The function's name, which may contain dots.
        arguments: The keyword arguments.
        unnamed: The number of positional arguments.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unnamed: int = 0

    def __str__(self) -> str:
        """Return the call as Python."""
        return f"{self.name}({', '.join(f'{name}={value!r}' for name, value in self.arguments.items())})"


def write_calls(calls: Iterable[Call]) -> str:
    """Return calls in the format of text answers: `[f(a=1), g(b='x')]`."""
    return f"[{', '.join(map(str, calls))}]"


def read_calls(completion: str) -> list[Call] | None:
    """Return the calls in a text answer; an empty list if it is `[]`, None if it contains no list of calls.

    The list, or a single call, is the whole text, else the last fenced block, else the last line that is one.
    Reasoning between tags is not part of the answer.
    """
    for text in _candidates(strip_reasoning(completion)):
        try:
            return parse_calls(text)
        except ValueError:
            continue
    return None


def parse_calls(text: str) -> list[Call]:
    """Parse calls in Python, in a list or separated by commas.

    Values are literals, arithmetic on numbers, concatenated texts, and calls; a variable stands for its name as text.

    Raises:
        ValueError: The text is something else.
    """
    bare = text.strip().strip("`'").strip()
    source = f"{'' if bare.startswith('[') else '['}{bare}{'' if bare.endswith(']') else ']'}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the model's escapes, such as \d
            parsed = ast.parse(source, mode="eval").body
        if not isinstance(parsed, ast.List) or not bare:
            raise ValueError(f"not a list of calls: {bare:.60}")
        return [_call(each) for each in parsed.elts]
    except (SyntaxError, RecursionError, MemoryError, ArithmeticError, TypeError) as error:
        raise ValueError(f"not a list of calls: {type(error).__name__}: {error}") from error


_FENCE = re.compile(r"```[\w-]*\n(.*?)```", re.DOTALL)
_LIST_LINE = re.compile(r"^[ \t>*`]*(\[.*\])[ \t*`]*$", re.MULTILINE)


def _candidates(text: str) -> list[str]:
    whole = _FENCE.fullmatch(text.strip())
    found = [whole[1] if whole else text]
    found += _FENCE.findall(text)[-1:]
    return found + _LIST_LINE.findall(text)[-1:]


def _call(node: ast.expr) -> Call:
    if not isinstance(node, ast.Call):
        raise ValueError(f"not a call: {ast.unparse(node):.60}")  # noqa: TRY004 - the text is wrong, not an argument
    named = {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg}
    return Call(_name(node.func), named, len(node.args) + len(node.keywords) - len(named))


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name):
            return f"{_name(inner)}.{name}"
    raise ValueError(f"not a function name: {ast.unparse(node):.60}")


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_GREATEST = 10**12
"""Larger operands, and powers beyond 64, are not computed, to bound the time of an answer."""
_GREATEST_POWER = 64


def _value(node: ast.expr) -> Any:  # noqa: PLR0911 - one line for each kind of value
    match node:
        case ast.Constant(value=value):
            return "..." if value is Ellipsis else value
        case ast.List(elts=elements):
            return [_value(each) for each in elements]
        case ast.Tuple(elts=elements):
            return tuple(_value(each) for each in elements)
        case ast.Dict(keys=keys, values=values) if all(keys):
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            number = _number(operand)
            return -number if isinstance(sign, ast.USub) else number
        case ast.BinOp(left=left, op=ast.Add(), right=right) if isinstance(first := _value(left), str):
            return first + str(_value(right))
        case ast.BinOp(left=left, op=how, right=right) if type(how) in _OPERATORS:
            return _computed(_number(left), how, _number(right))
        case ast.Call(keywords=keywords) if keywords:
            inner = _call(node)
            return {inner.name: dict(inner.arguments)}
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            return ast.unparse(node)
    raise ValueError(f"not a value: {ast.unparse(node):.60}")


def _number(node: ast.expr) -> int | float:
    value = _value(node)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {ast.unparse(node):.60}")  # noqa: TRY004 - as in `_call`
    return value


def _computed(left: float, how: ast.operator, right: float) -> Any:
    if max(abs(left), abs(right)) > _GREATEST or (isinstance(how, ast.Pow) and abs(right) > _GREATEST_POWER):
        raise ValueError("arithmetic with numbers that are too large")
    return _OPERATORS[type(how)](left, right)


_MARKUP = re.compile(
    r"<[|\uff5c]?/?(?:tool|function)[_\u2581 -]?calls?\b|<\|?python_tag|\[/?TOOL_?CALLS?\]"
    r"|<function[=_ >]|<invoke\b|functools\[",
    re.IGNORECASE,
)
_LIST_OF_CALLS = re.compile(r"^[ \t>*`]*\[\s*[\"']?[\w.]+.*\(.*\]", re.MULTILINE)
_JSON_CALL = re.compile(r'"(?:name|function|tool|action|tool_name|function_name)"\s*:\s*"([^"\n]+)"')
_JSON_ARGUMENTS = re.compile(r'"(?:arguments|parameters|args|action_input)"\s*:\s*(?:[{\[]|"\{)')


def is_attempt(completion: str, names: Sequence[str]) -> bool:
    """Return whether a text without a list of calls looks like an attempted call rather than prose.

    An attempt is tool-call markup, a list with a call, JSON with a function's name or arguments, or a function's name
    followed by a parenthesis and an argument. A mention of a function, as in `f()` or `f(a, b)`, is not an attempt.

    Args:
        completion: The model's answer.
        names: The names of the offered functions.
    """
    text = strip_reasoning(completion)
    if any(sign.search(text) for sign in (_MARKUP, _LIST_OF_CALLS, _JSON_ARGUMENTS)):
        return True
    if not set(_JSON_CALL.findall(text)).isdisjoint(names):
        return True
    called = "|".join(map(re.escape, names))
    return bool(called) and bool(re.search(rf"(?<![\w.])(?:{called})\(\s*(?:\w+\s*=|[\"'\d\[{{-])", text))
