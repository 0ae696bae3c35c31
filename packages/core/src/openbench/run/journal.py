"""The journal of a job, to which each sample is appended as it ends, and which is read when the run is resumed.

`JournalWriter.append` passes each line to the operating system before it returns, so killing the process loses no
sample that was appended, only those that were in flight or not yet scored. Lines are synced to disk once a second and
at the end, which bounds what a power cut can lose.

A command that resumes a run writes files with the next number, so only the last line of a file can be cut short.
"""

import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError
from openbench.redaction import REDACTED
from openbench.run.identity import SampleKey
from openbench.run.log_redaction import header_without_secrets, sample_json
from openbench.run.run_directory import RunDirectory
from openbench.run.run_files import AppendOnly, Line, LineSpan, content_of, line_of, read_spans

SYNC_SECONDS = 1.0

_SAMPLE = b',"sample":'  # before the last field of a line, the only one with nested fields


class Samples(Iterable[EvalSample], Sized):
    """Recorded samples, read lazily, since a run may have more than fit in memory."""

    def __init__(self, spans: Sequence[LineSpan]) -> None:
        """Make a collection of the samples on some lines."""
        self._spans = spans

    def __len__(self) -> int:
        return len(self._spans)

    def __iter__(self) -> Iterator[EvalSample]:
        for span, line in zip(self._spans, self._lines(), strict=True):
            yield _sample(span.path, content_of(line) or {})

    def as_json(self) -> Iterator[bytes]:
        """Yield the JSON of each sample, as written in the journal."""
        return (line[line.index(_SAMPLE) + len(_SAMPLE) : line.rindex(b',"crc"')] for line in self._lines())

    def _lines(self) -> Iterator[bytes]:
        try:
            with ExitStack() as stack:
                files: dict[Path, BinaryIO] = {}
                for path, offset, length in self._spans:
                    if path not in files:
                        files[path] = stack.enter_context(path.open("rb"))
                    files[path].seek(offset)
                    yield files[path].read(length)
        except OSError as error:
            raise LogError(f"{error.filename} cannot be read: {error.strerror or error}.") from error


@dataclass
class Journal:
    """What is recorded of a job so far.

    Attributes:
        header: Its log without samples, as started by the last command; None if no command started it.
        samples: The location of each sample: the last one that completed, else the last one.
        failed: The keys of samples that ended with an error.
        superseded: The keys and locations of all other attempts.
        damage: Messages about damaged lines.
    """

    header: EvalLog | None = None
    samples: dict[SampleKey, LineSpan] = field(default_factory=dict)
    failed: set[SampleKey] = field(default_factory=set)
    superseded: list[tuple[SampleKey, LineSpan]] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    @property
    def completed(self) -> set[SampleKey]:
        """The keys of samples that ended without an error."""
        return self.samples.keys() - self.failed

    def read(self, keys: Iterable[SampleKey] | None = None) -> Samples:
        """Return its samples, or those with the given keys, in order."""
        return Samples([self.samples[key] for key in (self.samples if keys is None else keys)])

    def add(self, key: SampleKey, span: LineSpan, *, failed: bool) -> None:
        """Add the location of a sample."""
        before = self.samples.get(key)
        if before is not None and failed and key not in self.failed:
            self.superseded.append((key, span))
            return
        if before is not None:
            self.superseded.append((key, before))
        self.samples[key] = span
        (self.failed.add if failed else self.failed.discard)(key)


def read_journal(directory: RunDirectory, job_id: str) -> Journal:
    """Read the journal of a job."""
    journal = Journal()
    header: Line | None = None
    for path in directory.journals(job_id):
        for span, line in read_spans(path, damage=journal.damage.append):
            if line["kind"] == "header":
                header = line
            else:
                journal.add((line["id"], line["epoch"]), span, failed=not line["done"])
    journal.header = EvalLog.model_validate(header["log"]) if header else None
    return journal


def _sample(path: Path, line: Line) -> EvalSample:
    try:
        return EvalSample.model_validate(line["sample"])
    except (KeyError, ValueError) as error:
        raise LogError(
            f"{path}: sample {line.get('id')} was written by an incompatible version of inspect-ai: "
            f"{str(error).splitlines()[0]}"
        ) from error


class JournalWriter:
    """Writes the journals of a run's jobs, one writer per process. After a `failure`, nothing more is written.

    Attributes:
        failure: Why nothing more can be written; None if it can.
        redacted: The jobs of which a sample had a secret.
    """

    def __init__(self, folder: Path) -> None:
        """Make a writer for a run directory."""
        self.failure: OpenbenchError | None = None
        self.redacted: set[str] = set()
        self._folder = folder
        self._files: dict[str, AppendOnly] = {}
        self._unsynced: set[AppendOnly] = set()
        self._synced = time.monotonic()

    def start(self, job_id: str, header: EvalLog) -> None:
        """Record that a job starts."""
        plain = header.model_dump(mode="json", exclude_none=True, include={"version", "eval", "plan"}, fallback=str)
        self._append(job_id, line_of({"kind": "header", "job": job_id, "log": header_without_secrets(plain)}))

    def append(self, job_id: str, sample: EvalSample) -> None:
        """Record that a sample has ended."""
        line = sample_line(job_id, sample)
        if REDACTED.encode() in line:
            self.redacted.add(job_id)
        self._append(job_id, line)

    def append_line(self, job_id: str, key: SampleKey, line: bytes) -> None:
        """Record a sample that has ended in another process."""
        content = content_of(line) or {}
        if (content.get("job"), content.get("id"), content.get("epoch")) != (job_id, *key):
            raise LogError(f"the sample {key[0]} of {job_id} was corrupted in transit, and is not recorded.")
        self._append(job_id, line)

    def close(self) -> None:
        """Sync all files to disk."""
        if not self.failure:
            self._sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, job_id: str, line: bytes) -> None:
        if self.failure:
            raise self.failure
        try:
            if job_id not in self._files:
                self._files[job_id] = AppendOnly(self._folder, job_id)
            self._files[job_id].append(line)
            self._unsynced.add(self._files[job_id])
            if time.monotonic() - self._synced >= SYNC_SECONDS:
                self._sync()
        except LogError as error:
            self.failure = error
            raise

    def _sync(self) -> None:
        for file in self._unsynced:
            file.sync()
        self._unsynced.clear()
        self._synced = time.monotonic()


def sample_line(job_id: str, sample: EvalSample) -> bytes:
    """Return the journal line of a sample."""
    head = {"kind": "sample", "job": job_id, "id": sample.id, "epoch": sample.epoch, "done": sample.error is None}
    return line_of(head, sample=sample_json(sample))
