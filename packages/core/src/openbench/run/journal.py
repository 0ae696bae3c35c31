"""The journal of a job: every sample that ended, appended as it ends, and read when its run is resumed.

`JournalWriter.append` hands each line to the operating system before it returns, so a process that is killed loses no
sample that was appended: only those whose requests were in flight, or answered and not yet scored. Lines are made
durable (fsync) once a second and at the end, which bounds what a power cut can take.

No file is opened again by another process: a command that resumes a run adds files of the next number, so that only
the last line of a file can be cut short by a crash.
"""

import time
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError, OpenbenchError
from openbench.run.jsonl import AppendOnly, Line, LineSpan, content_of, line_of, read_spans
from openbench.run.log_redaction import header_without_secrets, without_secrets
from openbench.run.run_directory import RunDirectory
from openbench.run.sample_keys import SampleKey

SYNC_SECONDS = 1.0

_SAMPLE = b',"sample":'  # what precedes the last part of a line; no other part has parts


class Samples(Iterable[EvalSample], Sized):
    """Recorded samples, each read when it is asked for, since a run may have more than fit in memory."""

    def __init__(self, places: Sequence[LineSpan]) -> None:
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
                        files[path] = stack.enter_context(path.open("rb"))
                    files[path].seek(offset)
                    yield files[path].read(length)
        except OSError as error:
            raise LogError(f"{error.filename} cannot be read: {error.strerror or error}.") from error


@dataclass
class Journal:
    """What is recorded of a job so far.

    Attributes:
        header: Its log without samples, as the last command began it; None if no command came that far.
        samples: By id and epoch, where its samples are: of several, the last that was answered, else the last.
        failed: The ids and epochs of those that ended in an error.
        superseded: Where the others are.
        damage: What is wrong with its files.
    """

    header: EvalLog | None = None
    samples: dict[SampleKey, LineSpan] = field(default_factory=dict)
    failed: set[SampleKey] = field(default_factory=set)
    superseded: list[tuple[SampleKey, LineSpan]] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)

    @property
    def completed(self) -> set[SampleKey]:
        """The ids and epochs of samples that ended without an error."""
        return self.samples.keys() - self.failed

    def read(self, keys: Iterable[SampleKey] | None = None) -> Samples:
        """Return its samples, or those of some ids and epochs, in their order."""
        return Samples([self.samples[key] for key in (self.samples if keys is None else keys)])

    def add(self, key: SampleKey, place: LineSpan, *, failed: bool) -> None:
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
    header: Line | None = None
    for path in directory.journals(job_id):
        for place, line in read_spans(path, damage=journal.damage.append):
            if line["kind"] == "header":
                header = line
            else:
                journal.add((line["id"], line["epoch"]), place, failed=not line["done"])
    journal.header = EvalLog.model_validate(header["log"]) if header else None
    return journal


def _sample(path: Path, line: Line) -> EvalSample:
    try:
        return EvalSample.model_validate(line["sample"])
    except (KeyError, ValueError) as error:
        raise LogError(
            f"{path}: the sample {line.get('id')} was written by a version of inspect-ai that this one cannot read: "
            f"{str(error).splitlines()[0]}"
        ) from error


class JournalWriter:
    """Writes the journals of a run's jobs, from one process; any number of processes may have one each.

    Attributes:
        failure: What went wrong with a file; from then on, nothing more is written.
    """

    def __init__(self, folder: Path) -> None:
        """Make a writer for the directory of a run."""
        self.failure: OpenbenchError | None = None
        self._folder = folder
        self._files: dict[str, AppendOnly] = {}
        self._unsynced: set[AppendOnly] = set()
        self._synced = time.monotonic()

    def start(self, job_id: str, header: EvalLog) -> None:
        """Record that an engine begins a job.

        Args:
            job_id: The job's id, as the header's metadata has it.
            header: Its log before the first sample.

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

    def append_line(self, job_id: str, key: SampleKey, line: bytes) -> None:
        """Record a sample that has ended in another process.

        Args:
            job_id: The id of its job.
            key: Its id and epoch.
            line: What `sample_line` made of it there.

        Raises:
            LogError: It is damaged, or cannot be written, now or earlier.
        """
        content = content_of(line) or {}
        if (content.get("job"), content.get("id"), content.get("epoch")) != (job_id, *key):
            raise LogError(f"the sample {key[0]} of {job_id} was corrupted in transit, and is not recorded.")
        self._append(job_id, line)

    def close(self) -> None:
        """Make everything durable."""
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
    """Return the line of a journal that a sample of a job becomes."""
    return line_of(
        {
            "kind": "sample",
            "job": job_id,
            "id": sample.id,
            "epoch": sample.epoch,
            "done": sample.error is None,
            "sample": without_secrets(sample),
        }
    )
