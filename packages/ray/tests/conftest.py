"""What these tests share: clusters of several nodes on this machine, and `bench` as a process of its own."""

import os
import runpy
import signal
import subprocess
import sys
import time
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import pytest

from openbench_ray.cluster import LocalCluster
from openbench_testing.chat import ChatServer
from openbench_testing.commands import Done

# Processes are forked off one that has imported what is slow to import. The engine's hooks are not among that: inspect
# tells of those that exist when the first model is made.
WARM = get_context("forkserver")
WARM.set_forkserver_preload(
    [
        "pytest",
        "openai",
        "inspect_ai.model",
        "openbench.run.local_executor",
        "openbench.run.planning",
        "openbench_ray.remote",
    ]
)

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "acme-quiz"
version = "1.0"
dependencies = ["openbench-core"]

[project.entry-points."openbench.benchmarks"]
quiz = "acme_quiz.metadata:quiz"

[tool.hatch.build.targets.wheel]
packages = ["acme_quiz"]
"""

METADATA = """
from openbench.metadata import BenchmarkMetadata

quiz = BenchmarkMetadata("quiz", "Sums.", "acme", [], "acme_quiz.task", "quiz", builtin=True)
"""

# Static, so that the direct engine takes it. Its numbers are made, or read from a pinned file, and one is added, or
# the day of a date; a sample of `deadly` ends the process that it runs in.
TASK = """
import os

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes, model_graded_qa
from inspect_ai.solver import generate, solver
from openbench.datasets import read_rows
from openbench.metadata import DatasetSource


@solver
def ending():
    async def solve(state, generate):
        os.kill(os.getpid(), 9)

    return solve


@task
def quiz(count=100, deadly=False, graded=False, rows="", sha256="", days=()) -> Task:
    numbers = range(count)
    add = days[0].day if days else 1
    if rows:
        numbers = [row["n"] for row in read_rows(DatasetSource(source=rows, type="json", sha256=sha256)).rows]
    samples = [Sample(id=f"q{n}", input=f"{n} + {add} is", target=str(n + add)) for n in numbers]
    scorer = model_graded_qa() if graded else includes()
    return Task(dataset=samples, solver=ending() if deadly else generate(), scorer=scorer)
"""


class Command:
    """`bench` as it runs, in a process of its own."""

    def __init__(self, arguments: list[str], folder: Path, variables: dict[str, str], output: Path) -> None:
        self._output = output
        given = {"ARGUMENTS": arguments, "FOLDER": str(folder), "VARIABLES": variables, "OUTPUT": str(output)}
        script = str(Path(__file__).with_name("warm_command.py"))
        self._process = WARM.Process(target=runpy.run_path, args=(script,), kwargs={"init_globals": given})
        self._process.start()

    def interrupt(self) -> None:
        """Send what Ctrl-C sends."""
        os.kill(self._process.pid, signal.SIGINT)

    def wait(self, seconds: int = 200) -> Done:
        """Wait for its end."""
        self._process.join(seconds)
        ended = self._process.exitcode
        self._process.kill()
        out, err = (self._output.with_suffix(f".{name}").read_text("utf-8") for name in ("out", "err"))
        assert ended is not None, f"it has not ended in {seconds} s\n{out}\n{err}"
        return Done(ended, out, err)


class Bench:
    """Command lines of `bench` in a folder, with the benchmark `quiz` installed from a path."""

    def __init__(self, folder: Path, outputs: Path, packages: Path) -> None:
        self.folder = folder
        self._outputs = outputs
        self._numbers = count()
        steering = ("BENCH_", "INSPECT_", "OPENBENCH_", "PYTEST_", "PYTHONDONTWRITEBYTECODE", "RAY_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
        self.variables = {**kept, "PYTHONPATH": str(packages), "NO_COLOR": "1", "COLUMNS": "120", "LOCAL_API_KEY": "x"}

    def start(self, *arguments: object, **more: str) -> Command:
        """Start a command."""
        output = self._outputs / str(next(self._numbers))
        return Command([*map(str, arguments)], self.folder, {**self.variables, **more}, output)

    def on(self, cluster: LocalCluster, *arguments: object, **more: str) -> Command:
        """Start `bench eval` on a cluster whose nodes have what is installed here; two workers show most."""
        options = ["--ray", "--address", cluster.address, "--no-install"]
        return self.start("eval", *arguments, *options, **{"BENCH_WORKERS": "2", **self.token(cluster), **more})

    @staticmethod
    def token(cluster: LocalCluster) -> dict[str, str]:
        """Return the variables with which a command may connect to a cluster."""
        return {name: value for name, value in cluster.environment().items() if name.startswith("RAY_")}

    def __call__(self, *arguments: object, **more: str) -> Done:
        """Run a command to its end."""
        return self.start(*arguments, **more).wait()


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """The source of the package acme-quiz."""
    folder = tmp_path_factory.mktemp("acme")
    files = {"pyproject.toml": PROJECT, "acme_quiz/__init__.py": "", "acme_quiz/metadata.py": METADATA}
    for name, text in {**files, "acme_quiz/task.py": TASK}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="session")
def packages(project, tmp_path_factory):
    """A folder in which acme-quiz is installed, as from a path."""
    from uv import find_uv_bin

    folder = tmp_path_factory.mktemp("packages")
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--python", sys.executable, "--target", folder, project]
    subprocess.run(install, check=True, capture_output=True)
    return folder


@pytest.fixture
def bench(tmp_path, tmp_path_factory, packages):
    return Bench(tmp_path, tmp_path_factory.mktemp("outputs"), packages)


@pytest.fixture
def server():
    """A model that adds."""

    def answer(request):
        first, _, second, _ = request.prompt.split()
        return str(int(first) + int(second))

    with ChatServer(answer) as server:
        yield server


@pytest.fixture
def model():
    """The options of `bench eval` for the model behind a server."""

    def options(server):
        return ["--model", "openai-api/local/m", "--model-base-url", server.base_url]

    return options


@pytest.fixture(scope="session")
def cluster(packages):
    """A cluster of two nodes that have what is installed here."""
    with LocalCluster([2, 2], variables={"PYTHONPATH": str(packages)}) as made:
        yield made


@pytest.fixture(scope="module")
def frail(packages):
    """Another one, for tests that break it; its head notices sooner than others that a node is lost."""
    health = {"initial_delay_ms": "1000", "period_ms": "500", "failure_threshold": "2"}
    variables = {f"RAY_health_check_{name}": value for name, value in health.items()}
    with LocalCluster([1, 1, 1], variables={"PYTHONPATH": str(packages), **variables}) as made:
        yield made


@pytest.fixture
def until():
    """Wait for a condition."""

    def wait(condition, seconds=100):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "it did not come"
            time.sleep(0.05)

    return wait
