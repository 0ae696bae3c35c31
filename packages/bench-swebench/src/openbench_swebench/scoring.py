"""Tests patches on a scoring server, or with SWE-bench's harness in Docker."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx

Row = Mapping[str, Any]
Outcome = Literal["resolved", "unresolved"]

_SECONDS_BEYOND = 120
_ATTEMPTS = 5
_REQUEST_SECONDS = 300.0
_HARNESS_FIELDS = (
    "repo", "instance_id", "base_commit", "patch", "test_patch", "problem_statement", "hints_text", "created_at",
    "version", "FAIL_TO_PASS", "PASS_TO_PASS", "environment_setup_commit",
)  # fmt: skip
_IN_DOCKER = threading.Semaphore(4)


class ScoringError(Exception):
    """A patch could not be tested, for a reason other than the patch; the message is a clause."""


@dataclass(frozen=True)
class Prediction:
    """A patch for an instance, in SWE-bench's prediction format."""

    instance_id: str
    model_name_or_path: str
    model_patch: str


def outcome_of(report: Mapping[str, Any], instance_id: str) -> Outcome:
    """Return the outcome for an instance in a report of SWE-bench's harness.

    An instance with an error, such as a patch that does not apply, is unresolved, as on the leaderboard, unless the
    report attributes the error to the environment.

    Raises:
        ScoringError: The report attributes the error to the environment, or has no outcome for the instance.
    """
    has = {name for name, ids in report.items() if name.endswith("_ids") and instance_id in (ids or ())}
    if "resolved_ids" in has:
        return "resolved"
    if has & {"infra_failure_ids", "ambiguous_failure_ids"}:
        raise ScoringError(f"the environment of {instance_id} failed: {report.get('failure_reasons', {})}")
    if has & {"unresolved_ids", "empty_patch_ids", "error_ids"}:
        return "unresolved"
    raise ScoringError(f"the report has no outcome for {instance_id}")


@dataclass(frozen=True)
class Server:
    """A scoring server, which runs a patch as a job and returns a report when the job is finished.

    Attributes:
        url: Its address.
        timeout_sec: The time limit for the tests of a patch.
        poll_interval_sec: The interval between status requests of a job.
        namespace: The namespace of the server's images.
        tag: The tag of the images.
    """

    url: str
    timeout_sec: int = 1800
    poll_interval_sec: float = 2.0
    namespace: str = "swebench"
    tag: str = "latest"

    async def outcome(self, prediction: Prediction) -> Outcome:
        """Return the outcome of a patch.

        Raises:
            ScoringError: The server does not answer, refuses the job, fails, or does not finish in time.
        """
        key = os.environ.get("SWE_API_KEY")
        async with httpx.AsyncClient(
            base_url=f"{self.url.rstrip('/')}/v1/",
            headers={"X-API-Key": key} if key else {},
            timeout=_REQUEST_SECONDS,
            transport=httpx.AsyncHTTPTransport(retries=2),  # retries only connections
        ) as client:
            job = str(_field(await self._created(client, prediction), "job_id"))
            await self._finished(client, job)
            return outcome_of(await self._asked(client, f"jobs/{job}/report"), prediction.instance_id)

    async def _created(self, client: httpx.AsyncClient, prediction: Prediction) -> Mapping[str, Any]:
        body = {
            "instance_id": prediction.instance_id,
            "patch_diff": prediction.model_patch,
            "namespace": self.namespace,
            "tag": self.tag,
            "timeout_sec": self.timeout_sec,
            "model_name_or_path": prediction.model_name_or_path,
        }
        try:
            return self._read(await client.post("jobs", json=body))
        except httpx.HTTPError as error:
            raise ScoringError(f"{self.url} cannot be reached: {type(error).__name__}: {error}") from error

    async def _finished(self, client: httpx.AsyncClient, job: str) -> None:
        """Wait for the end of a job; time in the queue does not count."""
        running: float | None = None
        while True:
            found = await self._asked(client, f"jobs/{job}")
            match _field(found, "status"):
                case "finished":
                    return
                case "failed":
                    raise ScoringError(f"the job {job} of {self.url} failed: {str(found.get('error'))[-500:]}")
                case "running":
                    running = running or anyio.current_time()
            if running and anyio.current_time() > running + self.timeout_sec + _SECONDS_BEYOND:
                raise ScoringError(f"the job {job} of {self.url} is still running after {self.timeout_sec} s")
            await anyio.sleep(self.poll_interval_sec)

    async def _asked(self, client: httpx.AsyncClient, path: str) -> Mapping[str, Any]:
        """Return the server's answer; retry if it is unreachable or overloaded."""
        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                response = await client.get(path)
                if response.status_code < httpx.codes.INTERNAL_SERVER_ERROR or last:
                    return self._read(response)
            except httpx.HTTPError as error:
                if last:
                    raise ScoringError(f"{self.url} cannot be reached: {type(error).__name__}: {error}") from error
            await anyio.sleep(self.poll_interval_sec * 2**attempt)
        raise AssertionError  # the last attempt returns or raises

    def _read(self, response: httpx.Response) -> Mapping[str, Any]:
        where = f"{response.request.method} {response.request.url}"
        if response.is_error:
            raise ScoringError(f"{where}: HTTP {response.status_code}: {response.text[:200]}")
        try:
            read = response.json()
        except ValueError as error:
            raise ScoringError(f"{where}: the answer is not JSON: {response.text[:200]}") from error
        if not isinstance(read, dict):
            raise ScoringError(f"{where}: expected an object, got {response.text[:200]}")
        return read


def _field(answer: Mapping[str, Any], name: str) -> Any:
    if name not in answer:
        raise ScoringError(f"the server's answer has no {name!r}: {str(dict(answer))[:200]}")
    return answer[name]


@cache
def missing_for_docker() -> str | None:
    """Return what is missing on this machine for SWE-bench's harness, as a clause; None if it can run."""
    if find_spec("swebench") is None:
        return "swebench is not installed (pip install openbench-swebench[docker])"
    try:
        asked = subprocess.run(["docker", "info"], capture_output=True, text=True, timeout=60, check=False)  # noqa: S607
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Docker cannot be queried: {error}"
    last = (asked.stderr.strip().splitlines() or ["no message"])[-1]
    return f"Docker is not running: {last}" if asked.returncode else None


def outcome_in_docker(row: Row, prediction: Prediction, timeout_sec: int) -> Outcome:
    """Return the outcome of a patch from SWE-bench's harness, with at most four running at a time.

    Raises:
        ScoringError: The harness ends without a report.
    """
    run = f"openbench-{uuid.uuid4().hex[:12]}"
    with _IN_DOCKER, tempfile.TemporaryDirectory(prefix="openbench-swebench-") as name:
        folder = Path(name)
        (folder / "dataset.jsonl").write_text(json.dumps({key: row.get(key, "") for key in _HARNESS_FIELDS}) + "\n")
        append_prediction(folder / "predictions.jsonl", prediction)
        command = [
            *(sys.executable, "-m", "swebench.harness.run_evaluation", "--run_id", run, "--max_workers", "1"),
            *("--dataset_name", "dataset.jsonl", "--predictions_path", "predictions.jsonl"),
            *("--timeout", str(timeout_sec), "--report_dir", "."),
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        report = folder / f"{prediction.model_name_or_path.replace('/', '__')}.{run}.json"
        if not report.is_file():
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise ScoringError(f"the harness of SWE-bench ended without a report: {last}")
        return outcome_of(json.loads(report.read_text("utf-8")), prediction.instance_id)


_WRITING = threading.Lock()


def append_prediction(file: Path, prediction: Prediction) -> None:
    """Append a prediction to a file in SWE-bench's format; the harness uses the last one for each instance."""
    with _WRITING:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(vars(prediction), ensure_ascii=False) + "\n")
