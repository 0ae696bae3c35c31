"""Kills of runs at random moments; `benchmarks/kills.py` does fifty of each engine, and these are its first."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stress

KILLS = Path(__file__).parents[1] / "benchmarks" / "kills.py"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are divided on Linux only")
@pytest.mark.parametrize("engine", ["inspect", "direct"])
def test_a_kill_at_any_moment_loses_and_doubles_nothing(engine):
    command = [sys.executable, KILLS, "--moments", "10", "--samples", "100", "--engine", engine, "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all: 10 kills, 0 lost, 0 doubled, 0 unequal, at most " in done.stdout
