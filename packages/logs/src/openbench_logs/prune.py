"""Removes runs whose logs are complete: a journal takes two thirds of its log's size, and only resuming needs it."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openbench.errors import OpenbenchError, UsageError
from openbench.run.identity import spec_keys
from openbench.run.journal import read_journal
from openbench.run.logs import read_log
from openbench.run.resume import unstarted_jobs
from openbench.run.run_directory import FIRST, RUNS, RunDirectory, is_run


@dataclass(frozen=True)
class Pruned:
    """A run that was pruned or kept.

    Attributes:
        path: Its directory.
        size: Its size in bytes.
        reason: Why it was kept; empty if it was removed.
    """

    path: Path
    size: int
    reason: str = ""


def prune(folder: Path, *, really: bool = True) -> Iterator[Pruned]:
    """Remove the runs of a log directory, or one run, if their logs are complete; a removed run cannot be resumed.

    Args:
        folder: The log directory, or the directory of a run.
        really: Whether to remove them; otherwise only report what would be removed.

    Yields:
        Each run, after it was removed or kept.

    Raises:
        UsageError: The folder is neither.
    """
    for path in _runs(folder):
        size = sum(each.stat().st_size for each in path.glob("*"))
        try:
            reason = _pruned(RunDirectory.open(path), really=really)
        except OpenbenchError as error:
            reason = str(error)
        yield Pruned(path, size, reason)


def _runs(folder: Path) -> list[Path]:
    if is_run(folder):
        return [folder]
    if (folder / RUNS).is_dir():
        return sorted(path for path in (folder / RUNS).glob("*") if path.is_dir())
    if any(path.suffix in {".eval", ".json"} for path in folder.iterdir()):
        return []
    raise UsageError(f"{folder} is neither a log directory nor a run: it contains no logs, {RUNS}/ or {FIRST}.")


def _pruned(directory: RunDirectory, *, really: bool) -> str:
    with directory.locked():
        reason = _needed_for(directory)
        if really and not reason:
            shutil.rmtree(directory.path)
        return reason


def _needed_for(directory: RunDirectory) -> str:
    """Return why a run is still needed; empty if it is not."""
    if missing := unstarted_jobs(directory.plans(), directory.job_records()):
        return f"{missing[0].benchmark} was never started"
    logs = directory.logs()
    for job in directory.jobs():
        if fault := _fault(directory, job.id, logs.get(job.id)):
            return f"{job.identity['benchmark']}: {fault}"
    return ""


def _fault(directory: RunDirectory, job: str, location: str | None) -> str:
    """Return why a job's log is incomplete; empty if it is complete."""
    if location is None:
        return "it has no log"
    log = read_log(location)
    held = {(sample.id, sample.epoch) for sample in log.samples or () if not sample.error}
    if log.status != "success" or not held.issuperset(spec_keys(log.eval)):
        return f"{location} is not complete"
    if not held.issuperset(read_journal(directory, job).completed):
        return f"{location} has fewer samples than the journal"
    return ""
