"""Finds the run that `--resume` means: a run's directory, or the only run of a log directory, here or at an address."""

import shlex
from pathlib import Path

import click

from openbench.errors import LogError, UsageError
from openbench.run.journal.directory import RUNS, RunDirectory, is_run, run_path
from openbench.run.locations import absolute, is_remote, plain, shown

_LOGS = {".eval", ".json"}


def find_run(location: str) -> RunDirectory:
    """Find a run; one that was not named itself is told of.

    Args:
        location: Its directory; or a log directory or an address of logs with one run.

    Raises:
        UsageError: There is no run, or there are several, or it is a log.
    """
    location = plain(location)
    if Path(location).suffix in _LOGS and (is_remote(location) or Path(location).is_file()):
        way_out = f"bench eval-retry {shlex.quote(location)}"
        raise UsageError(f"--resume continues runs, and {location} is a log. Continue it with: {way_out}")
    if is_remote(location):
        runs = _runs_of_logs_at(location)
        if not runs:
            here = shown(str(run_path(location, "")))
            raise UsageError(f"no run with logs at {location} is recorded on this machine: there is none in {here}.")
    else:
        path = Path(location)
        runs = [] if is_run(path) else _runs_in(path if path.name == RUNS else path / RUNS)
        if not runs:
            return RunDirectory.open(path)
    if len(runs) > 1:
        names = "\n".join(f"  {shown(str(path))}" for path in runs)
        raise UsageError(f"{location} has several runs. Name one of them with --resume, the oldest first:\n{names}")
    click.echo(f"{shown(str(runs[0]))} is continued, the only run of {location}", err=True)
    return RunDirectory.open(runs[0])


def _runs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if is_run(path))


def _runs_of_logs_at(address: str) -> list[Path]:
    return [path for path in _runs_in(run_path(address, "")) if absolute(address) in _log_dirs(path)]


def _log_dirs(path: Path) -> set[str]:
    """Return where the logs of a run went; a run that is damaged has to be named itself."""
    try:
        return {absolute(plan.options.get("log_dir", "")) for plan in RunDirectory(path).plans()}
    except LogError:
        return set()
