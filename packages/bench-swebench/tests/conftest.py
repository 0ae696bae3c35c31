"""What these tests share: `bench` in a process of its own, and a scoring server that runs tests."""

import ast
import json
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import openbench_swebench
from openbench_testing.commands.fixtures import bench
from openbench_testing.server import LocalServer, Response

__all__ = ["bench"]

ROWS = Path(openbench_swebench.__file__).parent / "samples" / "swebench_verified" / "test.jsonl"


def sample_rows():
    """Return the sample rows by their instance."""
    return {row["instance_id"]: row for row in map(json.loads, ROWS.read_text("utf-8").splitlines())}


def git(folder, *arguments, text=None):
    """Run git in a folder; return its output."""
    identity = ("-c", "user.name=Cook", "-c", "user.email=cook@example.org", "-c", "init.defaultBranch=trunk")
    command = ["git", *identity, *arguments]
    done = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def is_resolved(row, patch):
    """Apply a patch and the tests to a repository made of the row's file, and run the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, text = re.search(r"\[start of (.*?)\]\n(.*?)\[end of", row["text"], re.DOTALL).groups()
        (folder / path).parent.mkdir()
        (folder / path).write_text(text, "utf-8")
        git(folder, "init", "--quiet")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", "base")
        git(folder, "apply", text=patch)
        git(folder, "apply", text=row["test_patch"])
        test = next(folder.glob("tests/*.py"))
        names = [each.name for each in ast.parse(test.read_text()).body if isinstance(each, ast.FunctionDef)]
        program = "\n".join([test.read_text(), *(f"{each}()" for each in names)])
        done = subprocess.run([sys.executable, "-S", "-c", program], cwd=folder, capture_output=True, check=False)
        return done.returncode == 0


class ScoringServer(LocalServer):
    """Horangi's jobs: a POST makes one, which is queued, then runs, and then has a report.

    Attributes:
        jobs: The bodies of the requests for jobs.
        report: What every job's report is; by default that of a real test.
        states: What a job says of itself, in turn; the last for ever.
        faults: Status codes that requests about jobs get first.
        key: The key that requests need.
    """

    def __init__(self, report=None, states=("queued", "running", "finished"), faults=(), key=None):
        super().__init__()
        self.jobs, self.report, self.states, self.faults, self.key = [], report, states, list(faults), key
        self._asked, self._lock = {}, threading.Lock()

    def respond(self, request):
        if self.key and request.headers.get("x-api-key") != self.key:
            return Response(b'{"detail": "Unauthorized"}', 401)
        if request.method == "POST":
            with self._lock:
                self.jobs.append(json.loads(request.body))
                return self._answer({"job_id": f"job_{len(self.jobs)}", "status": "queued"})
        with self._lock:
            if self.faults:
                return Response(b"overloaded", self.faults.pop(0))
        job = re.search(r"/v1/jobs/job_(\d+)(/report)?$", request.path)
        return self._about(int(job[1]), is_report=bool(job[2]))

    def _about(self, number, *, is_report):
        job = self.jobs[number - 1]
        if is_report:
            return self._answer(self._tested(job) if self.report is None else self.report)
        with self._lock:
            count = self._asked[number] = self._asked.get(number, 0) + 1
        return self._answer({"status": self.states[min(count, len(self.states)) - 1], "error": "no space left"})

    def _tested(self, job):
        name = job["instance_id"]
        try:
            resolved = is_resolved(sample_rows()[name], job["patch_diff"])
        except subprocess.CalledProcessError:
            return {"error_ids": [name]}
        return {"resolved_ids": [name] if resolved else [], "unresolved_ids": [] if resolved else [name]}

    def _answer(self, value):
        return Response(json.dumps(value).encode())


@pytest.fixture
def scoring_server():
    with ScoringServer() as server:
        yield server
