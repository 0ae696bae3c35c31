"""Gives the log of a run another name, which the run then knows."""

from pathlib import Path

from inspect_ai.log import EvalLog

from openbench.run.journal.directory import RunDirectory
from openbench.run.locations import absolute
from openbench.run.logs import rename_log
from openbench.tasks.provenance import Provenance


def name_log(log: EvalLog, to: str, run: Path) -> None:
    """Give a written log another name, in the place of an earlier log of its run.

    Args:
        log: The log, whose location becomes the new one.
        to: The new one.
        run: The directory of its run, if that is on this machine.

    Raises:
        LogError: It cannot have that name.
        UsageError: Another command has begun to work on the run.
    """
    if absolute(log.location) == absolute(to):
        return
    rename_log(log.location, to)
    log.location = to
    if run.is_dir() and (job := Provenance.of(log).job):
        directory = RunDirectory.open(run)
        with directory.locked():
            directory.add_logs({job: to})
