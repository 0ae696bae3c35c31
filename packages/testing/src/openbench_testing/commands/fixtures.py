"""Fixtures for tests of `bench`, to be imported in a conftest."""

import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from openbench_testing.commands.bench import Bench, Done, fresh
from openbench_testing.commands.disk import Disk
from openbench_testing.commands.quiz import write_quiz
from openbench_testing.commands.site import Site

TWO = "from acme import made\nOLD = made('Old', builtin=True)\nNEW = made('New', overrides='acme-old')\n"
"""The module of the distributions of the fixture `two`."""


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """`bench` command lines in separate processes."""
    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    """A directory with `quiz.py` and its six rows, whose answers go A, B, C, A, … in turn."""
    write_quiz(tmp_path)
    return tmp_path


@pytest.fixture
def fresh_bench(tmp_path: Path) -> Callable[..., Done]:
    """`bench` in a fresh process, which takes seconds: for effects that a warm process could hide."""
    return partial(fresh, folder=tmp_path)


@pytest.fixture
def site(tmp_path: Path, bench: Bench) -> Site:
    """A folder to install distributions in."""
    return Site(tmp_path / "site", bench)


@pytest.fixture
def two(site: Site) -> Site:
    """Two distributions with a quiz, acme-old and acme-new, the newer of which overrides the older."""
    for name in ("old", "new"):
        points = {"my-quiz": f"two_{name}:{name.upper()}"}
        site.install(f"acme-{name}", {f"two_{name}.py": TWO}, benchmarks=points, version=f"1.{name}")
    return site


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk in the folder `disk`; tests that use it are skipped if mounting is not allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        disk = Disk(folder)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is not allowed here")
    yield disk
    disk.unmount()
