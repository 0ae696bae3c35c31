"""Instructions that a program can check: reading them from rows, and checking whether a response follows them."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

Checker = Callable[..., bool]
Checkers = Mapping[str, Checker]
Variant = Literal["faithful", "fixed"]

_RELATIONS = ("less than", "at least")


def compare(count: int, relation: str, threshold: int) -> bool:
    """Return whether a count is `less than` or `at least` a threshold."""
    return count < threshold if relation == "less than" else count >= threshold


def read_instructions(
    ids: Sequence[str], arguments: Sequence[Mapping[str, Any] | None], checkers: Checkers
) -> list[dict[str, Any]]:
    """Return a row's instructions as `{"id": …, "arguments": {…}}`, without null arguments.

    Raises:
        ValueError: An id has no checker, an argument is missing, unknown or invalid, or the lists differ in length.
    """
    found = []
    for id_, given in zip(ids, arguments, strict=True):
        own = {name: _plain(value) for name, value in (given or {}).items() if value is not None}
        _check(id_, own, checkers)
        found.append({"id": id_, "arguments": own})
    return found


def followed(
    response: str, instructions: Sequence[Mapping[str, Any]], checkers: Checkers, *, loose: bool = False
) -> list[bool]:
    """Return for each instruction whether a response follows it; a blank response follows none.

    Args:
        response: The response.
        instructions: The instructions, as `read_instructions` returns them.
        checkers: The checkers by id.
        loose: Also accept the response without the first line, the last line, both, or all asterisks.
    """
    texts = [text for text in (variants(response) if loose else [response]) if text.strip()]
    return [
        any(checkers[instruction["id"]](text, **instruction["arguments"]) for text in texts)
        for instruction in instructions
    ]


def variants(response: str) -> list[str]:
    """Return the up to eight texts that loose scoring accepts, starting with the response itself."""
    lines = response.split("\n")
    shorter = ["\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1])]
    texts = [response, *shorter]
    return list(dict.fromkeys([*texts, *(text.replace("*", "") for text in texts)]))


def _plain(value: Any) -> Any:
    """Return a whole number as an integer, since a table may store it as a float."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check(id_: str, arguments: Mapping[str, Any], checkers: Checkers) -> None:
    if id_ not in checkers:
        raise ValueError(f"the instruction {id_!r} has no checker (known: {', '.join(sorted(checkers))})")
    try:
        inspect.signature(checkers[id_]).bind("", **arguments)
    except TypeError as error:
        raise ValueError(f"the instruction {id_!r}: {error}; its arguments are {dict(arguments)!r:.200}") from error
    for name, value in arguments.items():
        if name.endswith("relation") and value not in _RELATIONS:
            raise ValueError(f"the instruction {id_!r}: {name}={value!r} is not one of {', '.join(_RELATIONS)}")
