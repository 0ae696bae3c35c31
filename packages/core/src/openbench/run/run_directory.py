"""The directory of a run: its plans, jobs and logs, and the lock of the command that uses it."""

import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from inspect_ai import Task
from platformdirs import user_state_path
from pydantic_core import to_jsonable_python

from openbench.errors import LogError, UsageError
from openbench.redaction import redacted
from openbench.run import progress
from openbench.run.identity import Identity
from openbench.run.paths import absolute, display_path, is_remote, normalize_location, relative_to, resolve
from openbench.run.plan import Plan, plan_from_plain, redacted_plan
from openbench.run.run_files import AppendOnly, Line, content_of, line_of, locked, read_lines
from openbench.tasks.provenance import Provenance

RUNS = "runs"
LOCK = "lock"
FIRST = "run.0.jsonl"
_FORMAT = 1
_LOGS = {".eval", ".json"}


@dataclass(frozen=True, kw_only=True)
class RecordedJob:
    """What a run records of a job, whose id names its journal files, and of the job that it replaced after a change."""

    id: str
    benchmark: str
    model: str
    identity: Identity
    replaces: str | None = None

    @classmethod
    def of(cls, task: Task, *, replaces: str | None = None) -> Self:
        """Return what a run records of a task."""
        own = Provenance.of(task)
        identity: Identity = redacted(to_jsonable_python(own.identity, fallback=str))
        return cls(id=own.job, benchmark=own.reference, model=identity["model"], identity=identity, replaces=replaces)


class RunDirectory:
    """A run on disk. Its files are read once: while it is `locked`, only this object adds to them.

    Methods raise `LogError` when the files are damaged or cannot be written.
    """

    def __init__(self, path: Path) -> None:
        """Use a directory that may not exist; see `create` and `open`."""
        self.path = path
        self._file: AppendOnly | None = None
        self._lines: list[Line] | None = None

    @classmethod
    def create(cls, log_dir: str, name: str | None = None) -> Self:
        """Make the directory of a new run.

        Args:
            log_dir: The log directory.
            name: A name from `new_run_name` that several processes share: the first one makes the directory.
        """
        path = run_path(log_dir, name or new_run_name())
        try:
            path.mkdir(parents=True, exist_ok=name is not None)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            way_out = "Use a local --log-dir" if is_remote(log_dir) else "Use --log-dir"
            raise UsageError(f"the run directory {path} cannot be written: {reason}. {way_out}.") from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the run at a path."""
        if not is_run(path):
            raise UsageError(
                f"{path} is not a run: it has no {FIRST}. Runs are the directories in {RUNS}/ of a log directory."
            )
        return cls(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other commands from using the run while the context lasts."""
        with locked(self.path / LOCK, f"{self.path} is in use by another process"):
            self._lines = None  # another command may have added some
            try:
                yield
            finally:
                self._file = None

    def add_plan(self, plan: Plan) -> None:
        """Record a plan, without secrets."""
        self._append({"kind": "plan", "format": _FORMAT, "at": _now(), "plan": redacted_plan(plan)})

    def add_jobs(self, *jobs: RecordedJob) -> None:
        """Record jobs."""
        self._append(*({"kind": "job", **asdict(job)} for job in jobs))

    def add_logs(self, logs: Mapping[str, str]) -> None:
        """Record where the logs of jobs are."""
        self._append(*({"kind": "log", "job": job, "log": relative_to(str(self.path), logs[job])} for job in logs))

    def plans(self) -> list[Plan]:
        """Return the plans of all commands, oldest first."""
        return [plan_from_plain(line["plan"]) for line in self._of_kind("plan")]

    def job_records(self) -> list[RecordedJob]:
        """Return all records of jobs, oldest first; a job may have several."""
        names = RecordedJob.__dataclass_fields__.keys()
        return [RecordedJob(**{name: line[name] for name in names & line.keys()}) for line in self._of_kind("job")]

    def jobs(self) -> list[RecordedJob]:
        """Return the newest record of each job, without jobs that were replaced."""
        found = {job.id: job for job in self.job_records()}
        replaced = {job.replaces for job in found.values()}
        return [job for job in found.values() if job.id not in replaced]

    def logs(self) -> Mapping[str, str]:
        """Return the location of each job's newest log, by job id."""
        return {line["job"]: resolve(str(self.path), line["log"]) for line in self._of_kind("log")}

    def journals(self, job_id: str) -> list[Path]:
        """Return the files of a job's journal, oldest first."""
        return self._numbered(job_id)

    def _append(self, *contents: Mapping[str, Any]) -> None:
        self._file = self._file or AppendOnly(self.path, "run")
        lines = [line_of(content) for content in contents]
        self._file.append(*lines)
        self._file.sync()
        if self._lines is not None:
            self._lines += [line for line in map(content_of, lines) if line]

    def _of_kind(self, kind: str) -> list[Line]:
        if self._lines is None:
            paths = self._numbered("run")
            self._lines = [line for path in paths for line in read_lines(path, damage=_note_damage)]
        formats = [line.get("format") for line in self._lines if line["kind"] == "plan"]
        if not formats or formats[0] != _FORMAT:
            found = f"format {formats[0]}" if formats else "no intact plan"
            raise LogError(f"{self.path}: {FIRST} has {found}; this version of openbench reads format {_FORMAT}.")
        return [line for line in self._lines if line["kind"] == kind]

    def _numbered(self, name: str) -> list[Path]:
        return list(takewhile(Path.exists, (self.path / f"{name}.{number}.jsonl" for number in count())))


def is_run(path: Path) -> bool:
    """Return whether a directory is a run."""
    return (path / FIRST).is_file()


def run_path(log_dir: str, name: str) -> Path:
    """Return the directory of a run; if its logs are remote, it is in the user's state directory."""
    return (user_state_path("openbench") if is_remote(log_dir) else Path(normalize_location(log_dir))) / RUNS / name


def new_run_name() -> str:
    """Return a name for a new run's directory."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{uuid4().hex[:6]}"


@cache
def _note_damage(message: str) -> None:
    """Report each damaged line once, however often its file is read."""
    progress.note(f"bench: {message}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def find_run(location: str) -> RunDirectory:
    """Find a run by its directory, or report the only one of a local or remote log directory.

    Raises:
        UsageError: There is no run, there are several, or the location is a log.
    """
    location = normalize_location(location)
    if Path(location).suffix in _LOGS and (is_remote(location) or Path(location).is_file()):
        way_out = f"bench eval-retry {shlex.quote(location)}"
        raise UsageError(f"--resume takes a run, and {location} is a log. Resume it with: {way_out}")
    if is_remote(location):
        runs = [path for path in _runs_in(run_path(location, "")) if absolute(location) in _log_dirs(path)]
        if not runs:
            here = display_path(str(run_path(location, "")))
            raise UsageError(f"no run with logs at {location} is recorded on this machine: there is none in {here}.")
    else:
        path = Path(location)
        runs = [] if is_run(path) else _runs_in(path if path.name == RUNS else path / RUNS)
        if not runs:
            return RunDirectory.open(path)
    if len(runs) > 1:
        names = "\n".join(f"  {display_path(str(path))}" for path in runs)
        raise UsageError(f"{location} has several runs. Name one of them with --resume, the oldest first:\n{names}")
    progress.note(f"{display_path(str(runs[0]))} is resumed, the only run in {location}")
    return RunDirectory.open(runs[0])


def _runs_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if is_run(path))


def _log_dirs(path: Path) -> set[str]:
    """Return the log directories of a run; none if it is damaged."""
    try:
        return {absolute(plan.options.get("log_dir", "")) for plan in RunDirectory(path).plans()}
    except LogError:
        return set()
