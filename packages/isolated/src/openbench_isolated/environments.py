"""Virtual environments, made once and kept in the user's cache."""

import hashlib
import json
import os
import platform
import shutil
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from filelock import FileLock
from platformdirs import user_cache_path

from openbench.registry.discovery import BENCHMARKS
from openbench_isolated.installer import install, make_venv
from openbench_isolated.requirements import Requirement

FOLDER_VARIABLE = "OPENBENCH_ENVIRONMENTS"
_MARKER = "openbench.json"  # written last: it says that a folder is whole, and what is in it
# They decide which versions uv takes.
_STEERING = ("UV_CONSTRAINT", "UV_EXCLUDE_NEWER", "UV_OVERRIDE", "UV_PRERELEASE", "UV_RESOLUTION")


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        folder: Where it is.
        label: What it is for, as people read it.
    """

    folder: Path
    label: str

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"


def make_environment(wanted: Requirement, others: Sequence[Requirement]) -> Environment:
    """Return the environment of a benchmark package; if it is not in the cache it is made, and a line says so.

    Args:
        wanted: The benchmark package.
        others: What is installed beside it.

    Raises:
        UsageError: The requirements contradict each other.
        OpenbenchError: One of them cannot be downloaded or built.
    """
    requirements = [wanted, *others]

    def make(folder: Path) -> None:
        sys.stderr.write(f"creating an environment for {wanted.label}\n")
        make_venv(folder, sys.executable)
        install(requirements, "--python", str(folder / "bin" / "python"))

    folder = _kept("environment", requirements, make, whole=lambda folder: (folder / "bin" / "python").exists())
    return Environment(folder, wanted.label)


def constraints(file: Path) -> Requirement:
    """Return what makes an installation keep to the versions in a file; a copy is kept under its content."""
    content = file.read_bytes()
    kept = _root() / f"constraints-{hashlib.sha256(content).hexdigest()[:16]}.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    return Requirement("constraints", ("--constraint", str(kept)), f"the constraints in {file.name}")


def registers_benchmarks(requirement: Requirement) -> bool:
    """Return whether the distribution of a requirement registers benchmarks; it is fetched alone, to be looked at.

    Raises:
        UsageError: There is no such distribution.
        OpenbenchError: It cannot be downloaded or built.
    """

    def make(folder: Path) -> None:
        install([requirement], "--python", sys.executable, "--no-deps", "--target", str(folder))

    folder = _kept("look", [requirement], make, whole=Path.is_dir)
    points = (point for found in distributions(path=[str(folder)]) for point in found.entry_points)
    return any(point.group == BENCHMARKS for point in points)


def _kept(
    kind: str, requirements: Sequence[Requirement], make: Callable[[Path], None], *, whole: Callable[[Path], bool]
) -> Path:
    """Return the folder of requirements; one that is not there, or not whole, is made anew by one process alone."""
    folder = _root() / f"{kind}-{_digest(requirements)}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    marker = folder / _MARKER
    with FileLock(f"{folder}.lock"):
        if not marker.is_file() or not whole(folder):
            shutil.rmtree(folder, ignore_errors=True)
            try:
                make(folder)
                marker.write_text(json.dumps([each.label for each in requirements]), "utf-8")
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    return folder


def _root() -> Path:
    said = os.environ.get(FOLDER_VARIABLE)
    return Path(said).absolute() if said else user_cache_path("openbench") / "environments"


def _digest(requirements: Sequence[Requirement]) -> str:
    """Return 16 hex digits that are the same only for an environment with the same content."""
    parts = [
        [platform.python_implementation(), platform.python_version(), sys.base_prefix, sysconfig.get_platform()],
        sorted([*each.arguments, each.fingerprint()] for each in requirements),
        [os.environ.get(name) for name in _STEERING],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
