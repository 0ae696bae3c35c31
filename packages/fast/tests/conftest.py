"""What the tests of the engines share: `bench` as a process of its own, and a small benchmark to run it on."""

from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from openbench_testing.commands import Bench, Site, fresh, write_quiz


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """`bench` command lines in processes of their own."""
    runner = Bench(tmp_path_factory.mktemp("bench"))
    yield runner
    runner.close()


@pytest.fixture
def quiz(tmp_path):
    """A directory with `quiz.py` and its six rows."""
    write_quiz(tmp_path)
    return tmp_path


@pytest.fixture
def site(tmp_path):
    """A folder to install distributions in."""
    return Site(tmp_path / "site")


@pytest.fixture
def fresh_bench(tmp_path):
    """`bench` as a shell starts it, which takes seconds: for what a warm process could hide."""
    return partial(fresh, folder=tmp_path)


@pytest.fixture(scope="session")
def engine_cases() -> ModuleType:
    """Import what the tests of engines share: a directory of tests is no package."""
    spec = spec_from_file_location("engine_cases", Path(__file__).with_name("engine_cases.py"))
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
