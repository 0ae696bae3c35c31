"""What these tests share: small packages that contradict each other, and `bench` as a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from uv import find_uv_bin

from openbench_testing.commands import Done

ROOT = Path(__file__).parents[3]

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"
dependencies = {dependencies}

[project.entry-points."openbench.benchmarks"]
{points}

[tool.hatch.build.targets.wheel]
packages = ["{module}"]
"""

METADATA = """
from openbench.metadata import BenchmarkMetadata

{key} = BenchmarkMetadata("{key}", "Which acme-dep it sees.", "acme", [], "{module}.task", "{key}", builtin=True)
"""

# It asks three questions of the version of acme-dep that it imports; one of its solvers ends the whole process.
TASK = """
import os

import acme_dep
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver


@solver
def ending(signal):
    async def solve(state, generate):
        os.kill(os.getpid(), signal)
        return state

    return solve


@task
def {key}({parameters}) -> Task:
    said = f"acme-dep {{acme_dep.VERSION}}"
    samples = [Sample(id=n, input=f"{{said}}, question {{n}}", target=said) for n in range(3)]
    return Task(dataset=samples, solver=ending({signal}) if {signal} else generate(), scorer=includes())
"""


class Ended(Done):
    """A command that has ended, perhaps after it made environments."""

    def made(self) -> list[str]:
        """Return what environments were made for."""
        begin = "creating an environment for "
        return [line.removeprefix(begin) for line in self.err.splitlines() if line.startswith(begin)]


def write_project(folder: Path, name: str, version: str, needs: str, parameters: str = "", signal: str = "0") -> Path:
    """Write the project of a benchmark package acme-KEY, which provides KEY."""
    key, module = name.removeprefix("acme-"), name.replace("-", "_")
    text = PROJECT.format(
        name=name,
        version=version,
        module=module,
        dependencies=json.dumps(["openbench-core", needs]),
        points=f'{key} = "{module}.metadata:{key}"',
    )
    return write(
        folder,
        {
            "pyproject.toml": text,
            f"{module}/__init__.py": "",
            f"{module}/metadata.py": METADATA.format(key=key, module=module),
            f"{module}/task.py": TASK.format(key=key, parameters=parameters, signal=signal),
        },
    )


def write_dependency(folder: Path, version: str) -> Path:
    """Write the project of a library that knows its version."""
    text = PROJECT.format(name="acme-dep", version=version, module="acme_dep", dependencies="[]", points="")
    return write(folder, {"pyproject.toml": text, "acme_dep/__init__.py": f"VERSION = {version!r}\n"})


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write files by their paths."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture(scope="session")
def acme(tmp_path_factory):
    """A folder of wheels: acme-dep 1 and 2, acme-left and acme-right which need one of them, and some more."""
    folder = tmp_path_factory.mktemp("acme")
    projects = [
        write_dependency(folder / "dep1", "1"),
        write_dependency(folder / "dep2", "2"),
        write_project(folder / "left1.0", "acme-left", "1.0", "acme-dep==1"),
        write_project(folder / "left1.1", "acme-left", "1.1", "acme-dep==1", "level: int = 1"),
        write_project(folder / "right", "acme-right", "1.0", "acme-dep==2", "loud: bool = False"),
        write_project(folder / "killed", "acme-killed", "1.0", "acme-dep==1", signal="9"),
    ]
    for project in projects:
        command = [find_uv_bin(), "build", "--wheel", "-o", folder / "wheels", project]
        subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def variables(acme):
    """The variables of all commands: one cache of environments, the wheels, and a key for local servers."""
    # Without bytecode, every run in an environment would compile what it imports.
    steering = ("BENCH_", "INSPECT_", "OPENBENCH_", "PYTEST_", "PYTHONDONTWRITEBYTECODE", "UV_CONSTRAINT")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
    links = ",".join(filter(None, [os.environ.get("UV_FIND_LINKS"), str(acme / "wheels")]))
    constraints = ROOT / "constraints.txt"
    pinned = {"UV_CONSTRAINT": str(constraints)} if constraints.exists() else {}
    own = {"OPENBENCH_ENVIRONMENTS": str(acme / "environments"), "UV_FIND_LINKS": links, "LOCAL_API_KEY": "x"}
    return {**kept, **pinned, **own, "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture
def bench(variables, tmp_path):
    """`bench` as a shell starts it, in an empty folder."""

    def run(*arguments: object, seconds: int = 200, **more: str) -> Ended:
        done = subprocess.run(
            _command(*arguments),
            cwd=tmp_path,
            env={**variables, **more},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def bench_command():
    """What makes a command line of `bench`."""
    return _command


def _command(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).with_name("bench")), *map(str, arguments)]


@pytest.fixture
def seen():
    """The versions of acme-dep that a log's samples saw."""

    def read(log: str) -> set[str]:
        return {str(sample.target) for sample in read_eval_log(log).samples}

    return read
