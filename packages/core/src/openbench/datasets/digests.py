"""Digests of data, equal in every process and on every machine."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any


def content_digest(content: object) -> str:
    """Return the SHA-256 of data in canonical JSON, 64 hex digits.

    An object whose text is its address counts as its type.
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
