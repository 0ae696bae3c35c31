"""Finds, reads and writes logs, in directories and, through fsspec, on other machines."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sized
from pathlib import Path
from typing import Any
from uuid import uuid4
from zipfile import BadZipFile

import fsspec
from inspect_ai.log import (
    EvalLog,
    EvalSample,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    read_eval_log_samples_by_id,
    write_eval_log,
)
from pydantic import ValidationError

from openbench.errors import LogError, UsageError
from openbench.run.identity import spec_keys
from openbench.run.messages import plain_message
from openbench.run.paths import absolute, is_remote, normalize_location
from openbench.tasks.provenance import Provenance

DEFAULT_LOG_DIR = "logs"

_VERSION: int = EvalLog.model_fields["version"].default
_NEWER = re.compile(r"version \d+ of log format")
_UPDATE = "it was written by a newer inspect-ai. Update yours: pip install -U inspect-ai"
_BATCH = 500  # samples in memory at once
_CLOCKS = 600.0  # seconds by which clocks of two machines may differ


def check_log_dir(log_dir: str | None, *, make: bool = True) -> None:
    """Check that logs can be written, or with `make=False` only that they could be, before a request is paid for."""
    if log_dir is None:
        return
    if is_remote(normalize_location(log_dir)):
        _check_writable(log_dir, make=make)
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
    if kind_of(path) == "directory" if is_remote(path) else Path(absolute(path)).is_dir():
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


class LoggedSamples(Iterable[EvalSample], Sized):
    """The samples of a log in Inspect's format `eval`, read on each pass: a run may have more than fit in memory."""

    def __init__(self, log: EvalLog) -> None:
        """List the samples of a log, in the order of its dataset, epoch by epoch."""
        self._log = log  # which may be moved
        order = {key: number for number, key in enumerate(spec_keys(log.eval))}
        listed = [(summary.id, summary.epoch) for summary in read_eval_log_sample_summaries(log.location)]
        self._keys = sorted(listed, key=lambda key: order.get(key, len(order)))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[EvalSample]:
        for start in range(0, len(self), _BATCH):
            yield from read_eval_log_samples_by_id(self._log.location, self._keys[start : start + _BATCH])


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
    """Write a log, or with `header_only` everything except the samples, which the file contains already."""
    with _explained(f"{location} cannot be written"):
        write_eval_log(log, location, header_only=header_only)


def move_log(location: str, to: str) -> None:
    """Move a log within its file system, or from this machine to another one; it replaces a log that is there."""
    with _explained(f"{to} cannot be written"):
        if not is_remote(to):
            shutil.move(absolute(location), absolute(to))
            return
        file_system, there = _file_system(to)
        if is_remote(location):
            file_system.mv(_file_system(location)[1], there)
        else:
            file_system.put_file(absolute(location), there)


@contextlib.contextmanager
def _explained(failure: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        strerror = error.strerror if isinstance(error, OSError) else None
        raise LogError(f"{failure}: {strerror or f'{type(error).__name__}: {plain_message(error)}'}") from error


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


def _check_writable(location: str, *, make: bool = True) -> None:
    """Write a small file into a log directory, and remove it.

    No bucket is made, since its name may be misspelled.
    """
    with _reached(location, f"the log directory {location} cannot be written") as (file_system, path):
        if not path.strip("/"):
            scheme = location.partition("://")[0]
            raise UsageError(f"the log directory {location} names no place. Use --log-dir {scheme}://NAME/FOLDER.")
        if make:
            probe = f"{path.rstrip('/')}/.openbench-{uuid4().hex}"
            if path.startswith("/"):  # directories, rather than buckets and names in them
                file_system.makedirs(path, exist_ok=True)
            file_system.pipe_file(probe, b"")
            file_system.rm_file(probe)


def exists(location: str) -> bool:
    """Return whether there is something at a path or an address."""
    if not is_remote(location):
        return os.path.lexists(absolute(location))
    with _reached(location, f"{location} cannot be read") as (file_system, path):
        return bool(file_system.exists(path))


def kind_of(location: str) -> str:
    """Return whether there is a `directory` or a `file` at an address."""
    with _reached(location, f"{location} cannot be read") as (file_system, path):
        try:
            return str(file_system.info(path)["type"])
        except FileNotFoundError as error:
            raise UsageError(f"{location} does not exist.") from error


@contextlib.contextmanager
def _reached(location: str, problem: str) -> Iterator[tuple[Any, str]]:
    """Give the file system of an address and the path in it; what fails with them is a `UsageError`."""
    file_system, path = _file_system(location)
    try:
        yield file_system, path
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{problem}: {_reason(path, error)}.") from error


def _file_system(location: str) -> tuple[Any, str]:
    """Return fsspec's file system of an address and the path in it; its listings are not cached."""
    scheme = location.partition("://")[0]
    if scheme not in fsspec.available_protocols():
        raise UsageError(
            f"{location}: there is no {scheme}://. Use a path, or one of fsspec's, such as s3://NAME/FOLDER."
        )
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(location, use_listings_cache=False)
    except ImportError as error:
        package = getattr(error.__cause__, "name", None) or error.name
        way_out = f"{package} is not installed. Install it: pip install {package}." if package else f"{error}."
        raise UsageError(f"{location}: {scheme}:// needs a package: {way_out}") from error
    except Exception as error:
        raise UsageError(f"{location} cannot be reached: {_reason(location, error)}.") from error
    return found


def _reason(path: str, error: Exception) -> str:
    if type(error).__name__ == "NoCredentialsError":  # of botocore, which need not be installed
        return "there are no credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    if isinstance(error, FileNotFoundError) and not path.startswith("/"):
        return f"there is no bucket {path.partition('/')[0]}. Make it first"
    return f"{type(error).__name__}: {plain_message(error).rstrip('.')}"
