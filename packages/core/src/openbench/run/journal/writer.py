"""Appends what happens to a run's files: handed to the operating system at once, made durable every second."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Self
from weakref import WeakSet

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError
from openbench.run import progress
from openbench.run.identity import CONTENT_KEY
from openbench.run.journal.lines import content_of, line_of
from openbench.run.planned import Key
from openbench.run.redaction import header_without_secrets, without_secrets

SYNC_LINES = 50
SYNC_SECONDS = 1.0
OPEN_FILES = 100
"""Journals that are open at once: a process may have no more than some hundred files, and a run thousands of jobs."""


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


class JournalWriter(AbstractContextManager["JournalWriter"]):
    """Writes the journals of a run's jobs, from one process; any number of processes may have one each.

    Attributes:
        failure: What went wrong with a file; from then on, nothing more is written.
    """

    def __init__(self, folder: Path) -> None:
        """Make a writer for the directory of a run."""
        self.failure: OpenbenchError | None = None
        self._folder = folder
        self._files: dict[str, AppendOnly] = {}
        self._unsynced = 0
        self._due = threading.Event()
        self._closing = False
        self._lock = threading.Lock()  # of the files, which two threads go through
        self._thread = threading.Thread(target=self._sync_now_and_then, name="openbench-journal", daemon=True)
        self._thread.start()

    def start(self, job_id: str, header: EvalLog) -> None:
        """Record that an engine begins a job.

        Args:
            job_id: The job's id, as the header's metadata has it.
            header: What its log says before the first sample.

        Raises:
            LogError: It cannot be written, now or earlier.
        """
        plain = header.model_dump(mode="json", exclude_none=True, include={"version", "eval", "plan"}, fallback=str)
        self._append(job_id, line_of({"kind": "header", "job": job_id, "log": header_without_secrets(plain)}))

    def append(self, job_id: str, sample: EvalSample) -> None:
        """Record that a sample has ended.

        Args:
            job_id: The id of its job.
            sample: The sample, whole; if it has an error, it was not answered.

        Raises:
            LogError: It cannot be written, now or earlier.
        """
        self._append(job_id, sample_line(job_id, sample))

    def append_line(self, job_id: str, key: Key, line: bytes) -> None:
        """Record what another process says of a sample that has ended.

        Args:
            job_id: The id of its job.
            key: Its id and epoch.
            line: What `sample_line` made of it there.

        Raises:
            LogError: It is damaged, or cannot be written, now or earlier.
        """
        content = content_of(line) or {}
        if (content.get("job"), content.get("id"), content.get("epoch")) != (job_id, *key):
            raise LogError(f"the sample {key[0]} of {job_id} was damaged on its way here, and is not recorded.")
        self._append(job_id, line)

    def close(self) -> None:
        """Make everything durable, and close the files."""
        with self._lock:
            self._closing = True
        self._due.set()
        self._thread.join()
        for file in self._files.values():
            file.close()
        self._files.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, job_id: str, line: bytes) -> None:
        if self.failure:
            raise self.failure
        try:
            self._file(job_id).append_line(line)
        except LogError as error:
            self.failure = error
            raise
        self._unsynced += 1
        if self._unsynced >= SYNC_LINES:
            self._due.set()

    def _file(self, job_id: str) -> AppendOnly:
        if job_id not in self._files:
            file = AppendOnly(self._folder, job_id)
            with self._lock:
                self._files[job_id] = file
                if len(self._files) > OPEN_FILES:  # what is appended to that job later goes to its next file
                    oldest = self._files.pop(next(iter(self._files)))
                    oldest.sync()
                    oldest.close()
        return self._files[job_id]

    def _sync_now_and_then(self) -> None:
        closing = False
        while not closing and not self.failure:
            self._due.wait(SYNC_SECONDS)
            self._due.clear()
            self._unsynced = 0
            try:
                with self._lock:
                    closing = self._closing
                    for file in self._files.values():
                        file.sync()
            except LogError as error:
                self.failure = error


def sample_line(job_id: str, sample: EvalSample) -> bytes:
    """Return the line of a journal that a sample of a job becomes."""
    return line_of(
        {
            "kind": "sample",
            "job": job_id,
            "id": sample.id,
            "epoch": sample.epoch,
            "content": (sample.metadata or {}).get(CONTENT_KEY),
            "attempts": 1 + len(sample.error_retries or ()),
            "seconds": sample.total_time,
            "done": sample.error is None,
            "sample": without_secrets(sample),
        }
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
