"""Finds, reads and makes room for logs."""

import os
import tempfile
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from openbench.errors import LogError, UsageError
from openbench.tasks.build import METADATA_KEY

DEFAULT_LOG_DIR = "logs"


def check_log_dir(log_dir: str | None, *, make: bool = True) -> None:
    """Find out whether logs can be written before the first request is paid for.

    Args:
        log_dir: The directory.
        make: Make it if it is not there; else it is enough that it could be.

    Raises:
        UsageError: They cannot. Remote directories (`s3://…`) are not checked.
    """
    if log_dir is None or "://" in log_dir:
        return
    path = Path(log_dir)
    try:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(f"the log directory {log_dir} cannot be written: {reason}. Use --log-dir.") from error


def read_log(path: str, *, header_only: bool = False) -> EvalLog:
    """Read a log with its samples, or its header alone.

    Raises:
        UsageError: There is none at the path.
        LogError: It cannot be read.
    """
    if Path(path).is_dir():
        raise UsageError(f"{path} is a directory. Name the logs in it.")
    try:
        return read_eval_log(path, header_only=header_only, resolve_attachments="full")
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist.") from error
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "")
        raise LogError(f"{path} cannot be read as a log: {type(error).__name__}: {reason}") from error


def said_by(log: EvalLog) -> dict[str, Any]:
    """Return what a log says of where its task came from; empty if `bench eval` did not write it."""
    said: dict[str, Any] = (log.eval.metadata or {}).get(METADATA_KEY, {})
    return said


def logs_of_jobs(log_dir: str, jobs: set[str], *, since: float) -> dict[str, EvalLog]:
    """Find the logs of jobs that were written after a moment (seconds of the epoch).

    inspect does not return the logs of what was interrupted, but it writes them.
    """
    found: dict[str, EvalLog] = {}
    for info in list_eval_logs(log_dir):
        if info.mtime is None or info.mtime / 1000 < since:
            continue
        job = said_by(read_eval_log(info, header_only=True)).get("job")
        if job in jobs:
            found[job] = read_log(info.name)
    return found
