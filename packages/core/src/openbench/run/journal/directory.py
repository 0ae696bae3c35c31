"""The directory of a run: its plan, its jobs, its logs, and the lock of the command that works on it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from platformdirs import user_state_path

from openbench.errors import LogError, UsageError
from openbench.run.identity import Identity
from openbench.run.journal.lines import Line, read_lines
from openbench.run.journal.lock import locked
from openbench.run.journal.writer import AppendOnly
from openbench.run.plan import Plan
from openbench.run.provenance import redacted_plan
from openbench.run.wire import plan_from_plain

RUNS = "runs"
_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class RecordedJob:
    """A job of a run.

    Attributes:
        id: Its id, which names its journals.
        benchmark: What finds its benchmark, as in `Job.benchmark`.
        model: The model's name.
        identity: What its samples depend on.
        replaces: The id of the job whose samples it runs again, after something had changed.
    """

    id: str
    benchmark: str
    model: str
    identity: Identity
    replaces: str | None = None


class RunDirectory:
    """A run on disk.

    Attributes:
        path: Where it is.
    """

    def __init__(self, path: Path) -> None:
        """Name a directory; see `create` and `open`."""
        self.path = path
        self._file: AppendOnly | None = None

    @classmethod
    def create(cls, log_dir: str) -> Self:
        """Make the directory of a new run; that of remote logs is in the user's state directory.

        Raises:
            UsageError: It cannot be made.
        """
        folder = absolute(log_dir)
        runs = (user_state_path("openbench") if "://" in folder else Path(log_dir.removeprefix("file://"))) / RUNS
        path = runs / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{uuid4().hex[:6]}"
        try:
            path.mkdir(parents=True)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise UsageError(f"the run directory {path} cannot be written: {reason}. Use --log-dir.") from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Find a run.

        Raises:
            UsageError: There is none at the path.
        """
        if not (path / "run.0.jsonl").is_file():
            raise UsageError(
                f"{path} is no run: there is no run.0.jsonl. Runs are the directories in {RUNS}/ of a log directory."
            )
        return cls(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the run while the context lasts: no other command can work on it.

        Raises:
            UsageError: Another one does.
        """
        with locked(self.path / "lock", f"{self.path} is at work in another process"):
            try:
                yield
            finally:
                if self._file:
                    self._file.sync()
                    self._file.close()
                    self._file = None

    def add_plan(self, plan: Plan) -> None:
        """Record what is to be run.

        Raises:
            LogError: It cannot be written.
        """
        self._append({"kind": "plan", "format": _FORMAT, "at": _now(), "plan": redacted_plan(plan)})

    def add_job(self, job: RecordedJob) -> None:
        """Record a job.

        Raises:
            LogError: It cannot be written.
        """
        self._append({"kind": "job", **asdict(job)})

    def add_log(self, job_id: str, location: str) -> None:
        """Record where the log of a job is.

        Raises:
            LogError: It cannot be written.
        """
        self._append({"kind": "log", "job": job_id, "log": relative_to(str(self.path), location)})

    def plans(self) -> list[Plan]:
        """Read the plans of all commands, the oldest first; secrets are not among them.

        Raises:
            LogError: The files are damaged.
        """
        return [plan_from_plain(line["plan"]) for line in self._of_kind("plan")]

    def jobs(self) -> list[RecordedJob]:
        """Read the jobs; one that another replaces is left out.

        Raises:
            LogError: The files are damaged.
        """
        found = [_job(line) for line in self._of_kind("job")]
        replaced = {job.replaces for job in found}
        return [job for job in found if job.id not in replaced]

    def newest(self, job_id: str) -> str:
        """Return the id of the job that has replaced one, or its own.

        Raises:
            LogError: The files are damaged.
        """
        replaced = {job.get("replaces"): job["id"] for job in self._of_kind("job")}
        while job_id in replaced:
            job_id = replaced[job_id]
        return job_id

    def logs(self) -> Mapping[str, str]:
        """Read where the newest log of each job is, by the job's id.

        Raises:
            LogError: The files are damaged.
        """
        return {line["job"]: resolved(str(self.path), line["log"]) for line in self._of_kind("log")}

    def journals(self, job_id: str) -> list[Path]:
        """Return the files of a job's journal, the oldest first."""
        return _by_number(self.path.glob(f"{job_id}.*.jsonl"))

    def _append(self, content: Mapping[str, Any]) -> None:
        if self._file is None:
            self._file = AppendOnly(self.path, "run")
        self._file.append(content)
        self._file.sync()

    def _of_kind(self, kind: str) -> list[Line]:
        lines = [line for path in _by_number(self.path.glob("run.*.jsonl")) for line in read_lines(path)]
        if not lines or lines[0].get("format") != _FORMAT:
            written = f"format {lines[0].get('format')}" if lines else "nothing that is whole"
            raise LogError(f"{self.path}: run.0.jsonl holds {written}, and this version reads format {_FORMAT}.")
        return [line for line in lines if line["kind"] == kind]


def absolute(location: str) -> str:
    """Return a local path from the root, without a scheme; a remote one as it is."""
    local = location.removeprefix("file://")
    return local.rstrip("/") if "://" in local else os.path.abspath(local)  # noqa: PTH100 - links stay


def relative_to(folder: str, location: str) -> str:
    """Return a local path as seen from a directory, so that both can be moved together.

    What is remote, or is seen from there, stays as it is.
    """
    base, path = absolute(folder), absolute(location)
    return path if "://" in base or "://" in path else Path(os.path.relpath(path, base)).as_posix()


def resolved(folder: str, location: str) -> str:
    """Return what `relative_to` was given, wherever the directory is now."""
    return location if "://" in f"{folder}{location}" else os.path.normpath(os.path.join(folder, location))  # noqa: PTH118 - it may be absolute


def _job(line: Line) -> RecordedJob:
    return RecordedJob(**{name: line[name] for name in RecordedJob.__dataclass_fields__ if name in line})


def _by_number(paths: Iterator[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: int(path.suffixes[-2][1:]))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
