"""Reads and appends the lines of a run's files: JSON objects that end in a checksum, which shows whether one is whole.

    {"kind":"sample","job":"…","id":"q1","epoch":1,…,"crc":"9ae0daaf"}

The checksum is the CRC-32 of all bytes of the line before `,"crc"`, in eight hex digits.
"""

import os
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakSet

from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from openbench.errors import LogError
from openbench.run import progress

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


_appended: WeakSet["AppendOnly"] = WeakSet()


class AppendOnly:
    """A new file of a run, to which lines are appended."""

    def __init__(self, folder: Path, name: str) -> None:
        """Make the file `<name>.<n>.jsonl` of the first number that no other process has.

        Raises:
            LogError: It cannot be made.
        """
        self._name = name
        self._lock = threading.Lock()
        self.path, self._descriptor = _made(folder, name)
        self._dirty = False
        self._process = os.getpid()
        _appended.add(self)
        _sync_folder(folder)

    def append(self, content: Mapping[str, Any]) -> None:
        """Append a line of some content; see `append_line`."""
        self.append_line(line_of(content))

    def append_line(self, line: bytes) -> None:
        """Append a line; when this returns, the operating system has it.

        Raises:
            LogError: It cannot be written. What was written before is whole, and nothing more may be appended.
        """
        self._heed_removal()
        rest = memoryview(line)
        try:
            with self._lock:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise self._unwritable(error) from error
        self._dirty = True

    def sync(self) -> None:
        """Make durable what was appended.

        Raises:
            LogError: The device refuses.
        """
        self._heed_removal()
        if not self._dirty:
            return
        self._dirty = False
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close the file."""
        _appended.discard(self)
        os.close(self._descriptor)

    def heed_removal(self) -> None:
        """Write this file anew, with all that it held, if its folder was removed."""
        with self._lock:
            if self._process != os.getpid() or os.fstat(self._descriptor).st_nlink:
                return  # another process writes its own
            progress.note(f"bench: {self.path} was removed. It is written anew, with all that it held.")
            held, offset = self._descriptor, 0
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path, self._descriptor = _made(self.path.parent, self._name)
                while content := os.pread(held, 1 << 20, offset):
                    offset += os.write(self._descriptor, content)
            except OSError as error:
                raise self._unwritable(error) from error
            self._dirty = True  # what was removed stays open: another thread may be making it durable

    def _heed_removal(self) -> None:
        if not os.fstat(self._descriptor).st_nlink:
            for file in [each for each in _appended if each.path.parent == self.path.parent]:
                file.heed_removal()

    def _unwritable(self, error: OSError) -> LogError:
        return LogError(
            f"{self.path} cannot be written: {error.strerror or error}. What it holds is whole: make room, and "
            f"continue with bench eval --resume {self.path.parent}"
        )


def _made(folder: Path, name: str) -> tuple[Path, int]:
    for path in _numbered(folder, name):
        try:
            return path, os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
        except FileExistsError:
            continue
        except OSError as error:
            raise LogError(f"{path} cannot be written: {error.strerror or error}.") from error
    raise AssertionError  # numbers do not end


def _sync_folder(folder: Path) -> None:
    """Make durable that a file is in its folder, where the system can: else a power cut takes all of it."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _numbered(folder: Path, name: str) -> Iterator[Path]:
    return (folder / f"{name}.{number}.jsonl" for number in count())
