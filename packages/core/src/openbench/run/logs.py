"""Finds, reads and writes logs."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import ModelConfig
from pydantic import ValidationError

from openbench.errors import LogError, UsageError
from openbench.run import remote_logs
from openbench.run.messages import plain_message
from openbench.run.paths import absolute, is_remote, normalize_location
from openbench.run.plan import ModelSpec
from openbench.tasks.provenance import Provenance

DEFAULT_LOG_DIR = "logs"

_VERSION: int = EvalLog.model_fields["version"].default
_NEWER = re.compile(r"version \d+ of log format")
_UPDATE = "it was written by a newer inspect-ai. Update yours: pip install -U inspect-ai"
_CLOCKS = 600.0  # seconds by which clocks of two machines may differ


def check_log_dir(log_dir: str | None, *, make: bool = True) -> None:
    """Check that logs can be written, before the first request is paid for.

    Args:
        log_dir: The log directory.
        make: Create it if it does not exist; otherwise, only check that it could be created.

    Raises:
        UsageError: They cannot be written.
    """
    if log_dir is None:
        return
    if is_remote(normalize_location(log_dir)):
        remote_logs.check_writable(log_dir, make=make)
        return
    path = Path(absolute(log_dir))
    try:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        existing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise UsageError(f"the log directory {log_dir} cannot be written: {reason}. Use --log-dir.") from error


def read_log(path: str, *, header_only: bool = False) -> EvalLog:
    """Read a log with its samples, or its header alone.

    Raises:
        UsageError: It does not exist, or its URL contains a secret.
        LogError: It cannot be read.
    """
    path = normalize_location(path)
    if is_remote(path):
        remote_logs.check_log(path)
    elif Path(absolute(path)).is_dir():
        raise UsageError(f"{path} is a directory. Name the logs in it.")
    try:
        log = read_eval_log(path, header_only=header_only, resolve_attachments="full")
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist.") from error
    except Exception as error:
        raise LogError(f"{path} cannot be read as a log: {_problem(error)}") from error
    if log.version > _VERSION:
        raise LogError(f"{path} cannot be read as a log: {_UPDATE}")
    return log


def _problem(error: Exception) -> str:
    """Return a clause about an error that Inspect raised while reading a log."""
    if _NEWER.search(f"{error} {error.__cause__}"):
        return _UPDATE
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        if where := ".".join(str(part) for part in first["loc"] if "(" not in str(part)):
            return f"its {where} is not valid: {first['msg']}"
    if isinstance(error.__cause__, ValidationError):
        return _problem(error.__cause__)
    if isinstance(error, (ValueError, LookupError, EOFError, BadZipFile)):
        return (
            "it is empty, truncated or not an Inspect log. bench eval --resume DIR rewrites the logs of a run from its "
            "directory in runs/"
        )
    return f"{type(error).__name__}: {plain_message(error)}"


def write_log(log: EvalLog, location: str, *, header_only: bool = False) -> None:
    """Write a log.

    Args:
        log: The log.
        location: The file.
        header_only: Write everything except the samples, which the file contains already.

    Raises:
        LogError: It cannot be written; an earlier file is unchanged.
    """
    with _explained(f"{location} cannot be written"):
        write_eval_log(log, location, header_only=header_only)


def move_log(path: str, location: str) -> None:
    """Move a local log to the log directory.

    Raises:
        LogError: It cannot be written there.
    """
    with _explained(f"{location} cannot be written"):
        if is_remote(location):
            remote_logs.put(path, location)
        else:
            shutil.move(path, absolute(location))


def rename_log(location: str, to: str) -> None:
    """Rename a log in its directory, replacing another log of the new name.

    Raises:
        LogError: It cannot be renamed.
    """
    with _explained(f"{location} cannot be renamed to {to}"):
        if is_remote(location):
            remote_logs.move(location, to)
        else:
            Path(absolute(location)).replace(absolute(to))


@contextlib.contextmanager
def _explained(failure: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        strerror = error.strerror if isinstance(error, OSError) else None
        raise LogError(f"{failure}: {strerror or f'{type(error).__name__}: {plain_message(error)}'}") from error


def check_name(location: str, run: str | None) -> None:
    """Check that a log would overwrite nothing, except the log of the run that is resumed.

    Args:
        location: The future location of the log.
        run: The directory of the run that is resumed, if any.

    Raises:
        UsageError: Something else is there.
    """
    if not (remote_logs.exists(location) if is_remote(location) else os.path.lexists(absolute(location))):
        return
    there = "a file that is not a log"
    with contextlib.suppress(LogError, UsageError):
        own = Provenance.of(read_log(location, header_only=True)).run
        if own and run and Path(own).name == Path(absolute(run)).name:
            return
        there = "the log of another run"
    raise UsageError(f"--logfile {location}: {there} would be overwritten. Use another name, or remove it.")


def logged_spec(log: EvalLog, role: str, model: ModelConfig) -> ModelSpec:
    """Return the model of a role as given, if the log has it; otherwise as it was used."""
    given = Provenance.of(log).plan.get("model_roles", {}).get(role, {})
    if given.get("name") == model.model:
        return ModelSpec(**given)
    return ModelSpec(name=model.model, base_url=model.base_url, args=model.args)


def logs_of_jobs(log_dir: str, jobs: set[str], *, since: float) -> dict[str, EvalLog]:
    """Find the logs of jobs by id, among those written since a time in seconds of the epoch."""
    found: dict[str, EvalLog] = {}
    since -= _CLOCKS if is_remote(log_dir) else 0
    for info in list_eval_logs(log_dir):
        if info.mtime is None or info.mtime / 1000 < since:
            continue
        # There may be anything beside a log.
        with contextlib.suppress(Exception):
            job = Provenance.of(read_eval_log(info, header_only=True)).job
            if job in jobs:
                found[job] = read_log(info.name)
    return found
