"""The journal of a job: every sample that ended, appended as it ends, and read when its run is resumed.

`JournalWriter.append` hands each line to the operating system before it returns, so a process that is killed loses no
sample that was appended: only those whose requests were in flight, or answered and not yet scored. A second thread
makes lines durable (fsync) every 50 of them and at least every second, which bounds what a power cut can take.

No file is opened again by another process: a command that resumes a run adds files of the next number, so that only
the last line of a file can be cut short by a crash.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError
from openbench.run.identity import CONTENT_KEY
from openbench.run.jsonl import AppendOnly, Line, Place, content_of, line_of, read_places
from openbench.run.log_redaction import header_without_secrets, without_secrets
from openbench.run.planned import Key
from openbench.run.run_directory import RunDirectory

SYNC_LINES = 50
SYNC_SECONDS = 1.0
OPEN_FILES = 100
"""Journals that are open at once: a process may have no more than some hundred files, and a run thousands of jobs."""

_SAMPLE = b',"sample":'  # what precedes the last part of a line; no other part has parts


class Samples(Iterable[EvalSample], Sized):
    """Recorded samples, each read when it is asked for, since a run may have more than fit in memory."""

    def __init__(self, places: Sequence[Place]) -> None:
        """Name samples by where their lines are."""
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[EvalSample]:
        for place, line in zip(self._places, self._lines(), strict=True):
            yield _sample(place.path, content_of(line) or {})

    def as_json(self) -> Iterator[bytes]:
        """Yield each sample as JSON, as it is in the journal."""
        return (line[line.index(_SAMPLE) + len(_SAMPLE) : line.rindex(b',"crc"')] for line in self._lines())

    def _lines(self) -> Iterator[bytes]:
        try:
            with ExitStack() as stack:
                files: dict[Path, BinaryIO] = {}
                for path, offset, length in self._places:
                    if path not in files:
                        if len(files) >= OPEN_FILES:  # a process may have no more than some hundred
                            stack.close()
                            files.clear()
                        files[path] = stack.enter_context(path.open("rb"))
                    files[path].seek(offset)
                    yield files[path].read(length)
        except OSError as error:
            raise LogError(f"{error.filename} cannot be read: {error.strerror or error}.") from error


@dataclass
class Journal:
    """What the journal of a job holds.

    Attributes:
        header: Its log without samples, as the last command began it; None if no command came that far.
        samples: By id and epoch, where its samples are: of several, the last that was answered, else the last.
        failed: The ids and epochs of those that ended in an error.
        superseded: Where the others are.
        damage: What is wrong with its files.
    """

    header: EvalLog | None = None
    samples: dict[Key, Place] = field(default_factory=dict)
    failed: set[Key] = field(default_factory=set)
    superseded: list[tuple[Key, Place]] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    def read(self) -> Samples:
        """Return its samples."""
        return Samples([*self.samples.values()])

    def add(self, key: Key, place: Place, *, failed: bool) -> None:
        """Add a sample."""
        before = self.samples.get(key)
        if before is not None and failed and key not in self.failed:
            self.superseded.append((key, place))
            return
        if before is not None:
            self.superseded.append((key, before))
        self.samples[key] = place
        (self.failed.add if failed else self.failed.discard)(key)


def read_journal(directory: RunDirectory, job_id: str) -> Journal:
    """Read the journal of a job.

    Raises:
        LogError: It cannot be read.
    """
    journal = Journal()
    for place, line in _lines(directory, job_id, journal.damage.append):
        if line["kind"] == "header":
            journal.header = EvalLog.model_validate(line["log"])
        else:
            journal.add((line["id"], line["epoch"]), place, failed=not line["done"])
    return journal


def completed(
    directory: RunDirectory, job_id: str, *, damage: Callable[[str], None] = lambda _: None
) -> dict[Key, str | None]:
    """Find the samples of a job that need not run again, without holding them.

    Args:
        directory: The run.
        job_id: The job.
        damage: Is called with messages about lines that are damaged or cut short; see `read_lines`.

    Returns:
        By id and epoch, the hashes of what the samples were made of.

    Raises:
        LogError: The journal cannot be read.
    """
    found = _lines(directory, job_id, damage)
    return {(line["id"], line["epoch"]): line.get("content") for _, line in found if line.get("done")}


def _lines(
    directory: RunDirectory, job_id: str, damage: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[Place, Line]]:
    for path in directory.journals(job_id):
        yield from read_places(path, damage=damage)


def _sample(path: Path, line: Line) -> EvalSample:
    try:
        return EvalSample.model_validate(line["sample"])
    except (KeyError, ValueError) as error:
        raise LogError(
            f"{path}: the sample {line['id']} was written by a version of inspect-ai that this one cannot read: "
            f"{str(error).splitlines()[0]}"
        ) from error


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
