"""Starts probes: in processes of their own, so that what a plugin does there stays there."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openbench.errors import OpenbenchError

_STEERING = ("BENCH_", "INSPECT_", "PYTEST_")
_SECONDS = 120
_SECONDS_A_BENCHMARK = 15


class ProbeError(OpenbenchError):
    """A probe did not come to its end."""


def probe(
    name: str, folder: Path, arguments: Sequence[str], *, benchmarks: int = 1, hash_seed: int = 1, said: str = ""
) -> Any:
    """Run a probe and return its report.

    Args:
        name: The probe's module.
        folder: Where it writes, and where caches begin empty.
        arguments: Its arguments.
        benchmarks: For how many benchmarks it gets time.
        hash_seed: Its PYTHONHASHSEED.
        said: What its standard input holds.

    Raises:
        ProbeError: It crashed or did not end in time.
    """
    report = Path(tempfile.mkdtemp(dir=folder)) / "report.json"
    limit = _SECONDS + _SECONDS_A_BENCHMARK * benchmarks
    command = [sys.executable, "-m", f"openbench_testing.conformance.probes.{name}", str(report), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command,
            cwd=folder,
            env=_environment(folder, hash_seed),
            input=said,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"it did not end within {limit} s") from error
    if done.returncode or not report.is_file():
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "nothing was said")
        raise ProbeError(f"its process ended with {done.returncode}: {last.strip()}")
    return json.loads(report.read_text("utf-8"))


def _environment(folder: Path, hash_seed: int) -> Mapping[str, str]:
    """Return variables with which nothing is found in a cache and nothing waits for the network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_STEERING)}
    path = [str(Path(entry).resolve()) for entry in kept.pop("PYTHONPATH", "").split(os.pathsep) if entry]
    return {
        **kept,
        **({"PYTHONPATH": os.pathsep.join(path)} if path else {}),
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(folder / "hub"),
        "HF_HUB_OFFLINE": "1",
        "OPENBENCH_DATA_DIR": str(folder / "data"),
        "PYTHONHASHSEED": str(hash_seed),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
