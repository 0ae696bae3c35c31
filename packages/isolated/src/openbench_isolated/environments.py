"""Virtual environments, created once and kept in the user's cache."""

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
_MARKER = "openbench.json"  # written last: marks a folder as complete, and lists its content
# Variables that influence which versions uv selects.
_STEERING = ("UV_CONSTRAINT", "UV_EXCLUDE_NEWER", "UV_OVERRIDE", "UV_PRERELEASE", "UV_RESOLUTION")


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        folder: Its location.
        label: A readable name of its benchmark package.
    """

    folder: Path
    label: str

    @property
    def python(self) -> Path:
        """The path of its interpreter."""
        return self.folder / "bin" / "python"


def make_environment(wanted: Requirement, others: Sequence[Requirement]) -> Environment:
    """Return the environment of a benchmark package; create it if it is not in the cache, and report that on stderr.

    Args:
        wanted: The benchmark package.
        others: Further packages to install.

    Raises:
        UsageError: The requirements conflict.
        OpenbenchError: A requirement cannot be downloaded or built.
    """
    requirements = [wanted, *others]

    def make(folder: Path) -> None:
        sys.stderr.write(f"creating an environment for {wanted.label}\n")
        make_venv(folder, sys.executable)
        install(requirements, "--python", str(folder / "bin" / "python"))

    folder = _kept("environment", requirements, make, whole=lambda folder: (folder / "bin" / "python").exists())
    return Environment(folder, wanted.label)


def constraints(file: Path) -> Requirement:
    """Return the requirement that constrains an installation to the versions in a file, of which a copy is kept."""
    content = file.read_bytes()
    kept = _root() / f"constraints-{hashlib.sha256(content).hexdigest()[:16]}.txt"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(content)
    return Requirement("constraints", ("--constraint", str(kept)), f"the constraints in {file.name}")


def registers_benchmarks(requirement: Requirement) -> bool:
    """Return whether a requirement's distribution registers benchmarks; it is downloaded without dependencies.

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
    """Return the folder of requirements; if it is missing or incomplete, exactly one process creates it."""
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
    folder = os.environ.get(FOLDER_VARIABLE)
    return Path(folder).absolute() if folder else user_cache_path("openbench") / "environments"


def _digest(requirements: Sequence[Requirement]) -> str:
    """Return 16 hex digits that identify the content of an environment."""
    parts = [
        [platform.python_implementation(), platform.python_version(), sys.base_prefix, sysconfig.get_platform()],
        sorted([*each.arguments, each.fingerprint()] for each in requirements),
        [os.environ.get(name) for name in _STEERING],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
