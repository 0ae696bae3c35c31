"""What the tests of whole installations share: wheels, and fresh environments to install them in."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

ROOT = Path(__file__).parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
UV = find_uv_bin()


def run(*command: object, cwd: Path, code: int = 0, seconds: int = 240, **variables: str):
    """Run a command, which must end with an exit code, and return what it told."""
    environment = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    told = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**environment, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert told.returncode == code, told.stdout + told.stderr
    return told


def build_wheel(project: Path, out: Path) -> None:
    """Build a project's wheel into a folder."""
    run(UV, "build", "--wheel", "-o", out, project, cwd=out.parent)


@dataclass(frozen=True)
class Environment:
    """A fresh virtual environment; commands run in a folder of their own."""

    folder: Path

    @classmethod
    def make(cls, folder: Path) -> "Environment":
        """Make one, with pip in it."""
        run(UV, "venv", "--seed", "--python", sys.executable, folder / "env", cwd=folder)
        return cls(folder)

    def command(self, *arguments: object, cwd: Path | None = None, code: int = 0, **variables: str):
        """Run a command of the environment."""
        name, *rest = arguments
        return run(self.folder / "env" / "bin" / str(name), *rest, cwd=cwd or self.folder, code=code, **variables)

    def install(self, *requirements: object) -> None:
        """Install requirements with uv, in the versions that the project is developed with."""
        python = self.folder / "env" / "bin" / "python"
        run(UV, "pip", "install", "--python", python, "-c", CONSTRAINTS, *requirements, cwd=self.folder)

    def installed(self) -> Sequence[str]:
        """Return the names of what is installed."""
        python = self.folder / "env" / "bin" / "python"
        told = run(UV, "pip", "list", "--format", "freeze", "--python", python, cwd=self.folder)
        return [line.partition("==")[0] for line in told.stdout.splitlines()]


def kernel_requirements() -> list[str]:
    """Return what the kernel needs from elsewhere."""
    project = tomllib.loads((ROOT / "packages" / "core" / "pyproject.toml").read_text("utf-8"))["project"]
    return list(project["dependencies"])


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The wheels of the kernel, the metapackage and what it brings, SimpleQA, and those for authors and analysis."""
    out = tmp_path_factory.mktemp("wheels") / "dist"
    for package in (
        "core",
        "components",
        "compat",
        "bundles",
        "doctor",
        "dryrun",
        "fast",
        "local",
        "logs",
        "openbench",
        "retries",
        "suites",
        "testing",
        "scorers",
        "ranking",
        "authoring",
        "analysis",
        "bench-math",
        "bench-mcq",
        "bench-mmlu",
        "bench-simpleqa",
    ):
        build_wheel(ROOT / "packages" / package, out)
    return out
