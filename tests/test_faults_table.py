"""A server that dies under a run and comes back; `benchmarks/faults.py` has every other fault, too."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.stress

FAULTS = Path(__file__).parents[1] / "benchmarks" / "faults.py"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are divided on Linux only")
def test_a_server_that_dies_costs_nothing_but_time():
    which = ["--fault", "server away", "--away", "2", "--engine", "direct", "--processes", "2"]
    done = subprocess.run([sys.executable, FAULTS, *which], capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "1 runs, 1 faults, 60 samples: 0 lost, 0 doubled"
