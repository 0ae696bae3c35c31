"""Reads the journal of a job: every sample that ended, in whichever process and of whichever command."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.log import EvalLog, EvalSample

from openbench.errors import LogError
from openbench.run.journal.directory import RunDirectory
from openbench.run.journal.lines import Line, read_lines
from openbench.run.planned import Key


@dataclass
class Journal:
    """What the journal of a job holds.

    Attributes:
        header: Its log without samples, as the last command began it; None if no command came that far.
        samples: By id and epoch, its samples: of several, the last that was answered, else the last.
        superseded: The others.
        damage: What is wrong with its files.
    """

    header: EvalLog | None = None
    samples: dict[Key, EvalSample] = field(default_factory=dict)
    superseded: list[EvalSample] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)


def read_journal(directory: RunDirectory, job_id: str) -> Journal:
    """Read the journal of a job.

    Raises:
        LogError: It cannot be read.
    """
    journal = Journal()
    for path, line in _lines(directory, job_id, journal.damage.append):
        if line["kind"] == "header":
            journal.header = EvalLog.model_validate(line["log"])
            continue
        key = (line["id"], line["epoch"])
        before = journal.samples.get(key)
        sample = _sample(path, line)
        if before is None:
            journal.samples[key] = sample
        elif before.error or line["done"]:
            journal.samples[key] = sample
            journal.superseded.append(before)
        else:
            journal.superseded.append(sample)
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
) -> Iterator[tuple[Path, Line]]:
    for path in directory.journals(job_id):
        for line in read_lines(path, damage=damage):
            yield path, line


def _sample(path: Path, line: Line) -> EvalSample:
    try:
        return EvalSample.model_validate(line["sample"])
    except ValueError as error:
        raise LogError(
            f"{path}: the sample {line['id']} was written by a version of inspect-ai that this one cannot read: "
            f"{str(error).splitlines()[0]}"
        ) from error
