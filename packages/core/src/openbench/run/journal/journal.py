"""Reads the journal of a job: every sample that ended, in whichever process and of whichever command."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError
from openbench.run.journal.directory import RunDirectory
from openbench.run.journal.lines import Line, Place, content_of, read_places
from openbench.run.journal.writer import OPEN_FILES
from openbench.run.planned import Key

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


def answered(
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
