"""What these tests share: `bench` in processes of its own, and a small benchmark whose logs they read."""

import pytest

from openbench_testing.commands import Bench, write_quiz


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """`bench` command lines in processes of their own."""
    runner = Bench(tmp_path_factory.mktemp("bench"))
    yield runner
    runner.close()


@pytest.fixture
def quiz(tmp_path):
    """A directory with `quiz.py` and its six rows, whose answers go A, B, C, A, …"""
    write_quiz(tmp_path)
    return tmp_path
