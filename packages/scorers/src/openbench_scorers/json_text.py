"""Finds JSON documents in a completion, strictly and in linear time."""

import json
import re
from dataclasses import dataclass
from typing import Any

import jsonschema
from referencing import Registry
from referencing.exceptions import Unresolvable

from openbench.errors import UsageError

_OPENING = re.compile(r"\{(?=\s*[\"}])|\[(?=\s*[\[{\"\d\-tfn\]])")
_PATIENCE = 20
"""The average number of times that a text may be reread to find a closed document."""


@dataclass(frozen=True)
class Document:
    """A JSON document in a text.

    Attributes:
        value: Its value.
        length: Its length in characters.
    """

    value: Any
    length: int


def _refuse(constant: str) -> Any:
    """Refuse NaN and Infinity, which Python accepts but JSON does not."""
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def whole_document(text: str) -> Document | None:
    """Read a text that consists of JSON and white space only."""
    stripped = text.strip()
    try:
        return Document(_DECODER.decode(stripped), len(stripped))
    except (ValueError, RecursionError):
        return None


def documents(text: str) -> list[Document]:
    """Find the outermost objects and arrays in a text, in order."""
    found, start, patience = [], 0, _PATIENCE * (len(text) + 100)
    while patience > 0 and (opening := _OPENING.search(text, start)):
        start = opening.start()
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # The error counted the lines before its position.
            patience -= error.pos - start + error.pos // 256
            start += 1
        except ValueError:  # NaN, or a number that is too long; the error has no position
            patience -= 1000
            start += 1
        except RecursionError:  # too many nested brackets
            break
        else:
            found.append(Document(value, end - start))
            start = end
    return found


def same(one: Any, other: Any) -> bool:
    """Return whether two documents are equal: keys in any order, 1 equals 1.0, and true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


class Schema:
    """A JSON schema.

    Args:
        definition: The schema; its `$schema` selects the draft, by default the newest.

    Raises:
        UsageError: It is not a valid schema.
    """

    def __init__(self, definition: Any) -> None:
        draft = jsonschema.validators.validator_for(definition, default=jsonschema.Draft202012Validator)
        try:
            draft.check_schema(definition)
        except (jsonschema.SchemaError, re.error, RecursionError) as error:
            raise UsageError(f"The JSON schema is not valid: {getattr(error, 'message', error)}.") from error
        # An empty registry: a schema must not trigger downloads.
        self._validator = draft(definition, registry=Registry())

    def problem(self, value: Any) -> str | None:
        """Return the first violation of the schema, or None.

        Raises:
            UsageError: The schema has an unresolvable reference or an invalid pattern.
        """
        try:
            found = next(iter(self._validator.iter_errors(value)), None)
        except (Unresolvable, re.error) as error:
            raise UsageError(f"The JSON schema cannot be used: {error}. Write all of it in one document.") from error
        except (RecursionError, OverflowError) as error:
            return f"It cannot be checked: {error}"
        return None if found is None else f"{found.json_path}: {found.message}"
