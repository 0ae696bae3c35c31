"""Checks of values from files and command lines, and digests that are equal on every machine."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from pydantic import ValidationError


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is an `int` other than a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def validation_message(error: "ValidationError") -> str:
    """Return the first error of a pydantic validation in one line: location, rule and input."""
    details: Any = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in details["loc"])
    message = str(details["msg"]).removeprefix("Value error, ")
    return f"{where}: {message} (received {details['input']!r:.80})" if where else message


def content_digest(content: object) -> str:
    """Return the SHA-256 of data in canonical JSON, 64 hex digits.

    An object whose text contains its address is represented by its type.
    """
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rows_digest(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the SHA-256 over the digests of rows in their order, 64 hex digits, however they are stored."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(content_digest(row).encode())
    return whole.hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, set | frozenset):
        return sorted(map(content_digest, value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "tobytes"):  # images and arrays
        return hashlib.sha256(value.tobytes()).hexdigest()
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    text = str(value)
    return type(value).__qualname__ if f"at {hex(id(value))}" in text else text
