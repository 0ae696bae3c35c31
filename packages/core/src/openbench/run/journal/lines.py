"""The lines of a run's files: JSON objects that end in a checksum, so that a damaged one is known as such.

    {"kind":"sample","job":"…","id":"q1","epoch":1,…,"crc":"9ae0daaf"}

The checksum is the CRC-32 of all bytes of the line before `,"crc"`, in eight hex digits.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from openbench.errors import LogError

Line = Mapping[str, Any]


class Place(NamedTuple):
    """Where a line is: its file, and its first byte and length there."""

    path: Path
    offset: int
    length: int


_BEGIN = b'{"kind":'
_CRC = b',"crc":"%08x"}'
_CRC_LENGTH = len(_CRC % 0)


def line_of(content: Mapping[str, Any]) -> bytes:
    """Write a line, with the line break.

    Models are written as inspect writes them in logs: without what is None, and None for what JSON cannot express.
    """
    body = json_bytes(content)[:-1]
    return body + _CRC % zlib.crc32(body) + b"\n"


def read_lines(path: Path, *, damage: Callable[[str], None] = lambda _: None) -> Iterator[Line]:
    """Read the lines of a file that are whole; see `read_places`."""
    return (line for _, line in read_places(path, damage=damage))


def read_places(path: Path, *, damage: Callable[[str], None] = lambda _: None) -> Iterator[tuple[Place, Line]]:
    """Read the lines of a file that are whole, each with its place.

    Args:
        path: The file.
        damage: Is called with a message about lines that do not fit their checksums, which are left out, and with one
            about a last line that a crash cut short.

    Raises:
        LogError: The file cannot be read.
    """
    damaged, offset = [], 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                begin, content = 0, content_of(line)
                if not content and line.endswith(b"\n"):
                    begin = line.rfind(_BEGIN)  # a whole line follows what lost its line break, or zeros of the disk
                    content = content_of(line[begin:])
                    if not content or line[:begin].strip(b"\0"):
                        damaged.append(number)
                elif not content:
                    damage(f"{path}, line {number}: cut short, as a crash leaves it, and set aside.")
                if content:
                    yield Place(path, offset + begin, len(line) - begin), content
                offset += len(line)
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror or error}.") from error
    if damaged:
        lines = f"{len(damaged)} of its lines do not fit their checksums, the first of them line {damaged[0]}"
        damage(f"{path} is damaged: {lines}. They are left out, and what they held runs again.")


def content_of(line: bytes) -> Line | None:
    """Return what a line says; None if it is not whole. The line break alone may be missing."""
    whole = line.rstrip(b"\n")
    body = whole[:-_CRC_LENGTH]
    if not body or whole[-_CRC_LENGTH:] != _CRC % zlib.crc32(body):
        return None
    content: Line = from_json(whole)
    return content


def json_bytes(content: object) -> bytes:
    """Return content as JSON, as inspect writes it in logs."""
    try:
        return to_json(content, exclude_none=True, fallback=lambda _: None)
    except PydanticSerializationError as error:
        if "surrogates" not in str(error):
            raise
        return to_json(_encodable(to_jsonable_python(content, exclude_none=True, fallback=lambda _: None)))


def _encodable(value: Any) -> Any:
    """Replace halves of characters, which models do write, as inspect does in logs."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(part) for key, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list) else value
