"""What the tests of the engines share: `bench` as a process of its own, and a small benchmark to run it on."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from openbench_testing.commands.fixtures import bench, fresh_bench, quiz, site

__all__ = ["bench", "fresh_bench", "quiz", "site"]


@pytest.fixture(scope="session")
def engine_cases() -> ModuleType:
    """Import what the tests of engines share: a directory of tests is no package."""
    spec = spec_from_file_location("engine_cases", Path(__file__).with_name("engine_cases.py"))
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
