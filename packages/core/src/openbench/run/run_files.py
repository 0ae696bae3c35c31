"""The files of a run: lines of JSON with checksums, and the lock of the process that uses the run.

    {"kind":"sample","job":"…","id":"q1","epoch":1,…,"crc":"9ae0daaf"}

The checksum is the CRC-32 of all bytes of the line before `,"crc"`, in eight hex digits.
"""

import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from filelock import FileLock, Timeout
from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from openbench.datasets.store import fsync
from openbench.errors import LogError, UsageError

Line = Mapping[str, Any]

_CRC = b',"crc":"%08x"}'
_CRC_LENGTH = len(_CRC % 0)

_PATIENCE = 2.0  # seconds until a lock that another process holds is an error


class LineSpan(NamedTuple):
    """The location of a line: its file, offset and length in bytes."""

    path: Path
    offset: int
    length: int


def line_of(content: Mapping[str, Any], **parts: bytes) -> bytes:
    """Return content as a line, with its line break; see `json_bytes`. The parts, which are JSON, come last."""
    body = json_bytes(content)[:-1] + b"".join(b',"%b":%b' % (name.encode(), part) for name, part in parts.items())
    return body + _CRC % zlib.crc32(body) + b"\n"


def content_of(line: bytes) -> Line | None:
    """Return the content of a line; None if it is damaged. Only the line break may be missing."""
    text = line.rstrip(b"\n")
    body = text[:-_CRC_LENGTH]
    if not body or text[-_CRC_LENGTH:] != _CRC % zlib.crc32(body):
        return None
    content: Line = from_json(text)
    return content


def read_lines(path: Path, *, damage: Callable[[str], None] = lambda _: None) -> Iterator[Line]:
    """Read the intact lines of a file; see `read_spans`."""
    return (line for _, line in read_spans(path, damage=damage))


def read_spans(path: Path, *, damage: Callable[[str], None] = lambda _: None) -> Iterator[tuple[LineSpan, Line]]:
    """Read the intact lines of a file, each with its location.

    Args:
        path: The file.
        damage: Called with a message for each skipped line: a last line that a crash cut short, or a line that does
            not match its checksum.
    """
    offset = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if content := content_of(line):
                    yield LineSpan(path, offset, len(line)), content
                elif line.endswith(b"\n"):
                    damage(f"{path}, line {number}: does not match its checksum; skipped, and its sample runs again.")
                else:
                    damage(f"{path}, line {number}: cut short by a crash; skipped.")
                offset += len(line)
    except OSError as error:
        raise LogError(f"{path} cannot be read: {error.strerror or error}.") from error


def json_bytes(content: object) -> bytes:
    """Return content as JSON, as in Inspect's logs: without None, and with null for what JSON cannot express."""
    try:
        return to_json(content, exclude_none=True, fallback=lambda _: None)
    except PydanticSerializationError as error:
        if "surrogates" not in str(error):
            raise
        return to_json(_encodable(to_jsonable_python(content, exclude_none=True, fallback=lambda _: None)))


def _encodable(value: Any) -> Any:
    """Escape lone surrogates, which occur in models' output, as Inspect does in logs."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(part) for key, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list) else value


class AppendOnly:
    """A new file of a run, to which lines are appended. It is open only during writes: a run may have thousands."""

    def __init__(self, folder: Path, name: str) -> None:
        """Create the file, under the first number that is free."""
        for number in count():
            self.path = folder / f"{name}.{number}.jsonl"
            try:
                self.path.open("xb").close()
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise LogError(f"{self.path} cannot be written: {error.strerror or error}.") from error
        with suppress(OSError):  # without its entry in the folder, a new file is lost in a power cut
            fsync(folder)

    def append(self, *lines: bytes) -> None:
        """Append lines; when this returns, the operating system has them.

        Raises:
            LogError: They cannot be written. Earlier lines are intact, and nothing more may be appended.
        """
        with self._opened() as file:
            file.seek(0, os.SEEK_END)
            file.writelines(lines)

    def sync(self) -> None:
        """Sync the file to disk."""
        with self._opened() as file:
            os.fsync(file.fileno())

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        try:
            with self.path.open("r+b") as file:  # does not create it again
                yield file
        except FileNotFoundError as error:
            raise LogError(f"{self.path} was removed during the run. Run bench eval again.") from error
        except OSError as error:
            raise LogError(
                f"{self.path} cannot be written: {error.strerror or error}. What it contains is intact: make room, "
                f"and resume with bench eval --resume {self.path.parent}"
            ) from error


@contextmanager
def locked(path: Path, complaint: str) -> Iterator[None]:
    """Hold a file lock while the context lasts; the system releases it when the process ends, even if it is killed."""
    lock = FileLock(path)
    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout as error:
        raise UsageError(f"{complaint}. Wait for it to end.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()
