"""Starts probes in separate processes, so that the effects of plugins stay there."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from platformdirs import user_cache_path

from openbench.datasets.store import VARIABLE, Store
from openbench.errors import OpenbenchError

STORE = "OPENBENCH_CHECKED_DATA_DIR"
"""Names the user's own store to a probe, whose other stores and caches begin empty."""

_STEERING = ("BENCH_", "INSPECT_", "PYTEST_")
_SECONDS = 120
_SECONDS_A_BENCHMARK = 15


class ProbeError(OpenbenchError):
    """A probe did not complete."""


class Probe:
    """A probe in a process that has started; in a `with` block, it ends with the block."""

    def __init__(
        self, name: str, folder: Path, arguments: Sequence[str], *, benchmarks: int = 1, hash_seed: int = 1
    ) -> None:
        """Start a probe.

        Args:
            name: The probe's module.
            folder: Where it writes, and where caches begin empty.
            arguments: Its arguments.
            benchmarks: For how many benchmarks it gets time.
            hash_seed: Its PYTHONHASHSEED.
        """
        self._report = Path(tempfile.mkdtemp(dir=folder)) / "report.json"
        self._limit = _SECONDS + _SECONDS_A_BENCHMARK * benchmarks
        module = f"openbench_testing.conformance.probes.{name}"
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", module, str(self._report), *arguments],
            cwd=folder,
            env=_environment(folder, hash_seed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def report(self, standard_input: str = "") -> Any:
        """Wait for its end, and return its report.

        Raises:
            ProbeError: It crashed or did not end in time.
        """
        try:
            _, errors = self._process.communicate(standard_input, timeout=self._limit)
        except subprocess.TimeoutExpired as error:
            raise ProbeError(f"it did not end within {self._limit} s") from error
        if self._process.returncode or not self._report.is_file():
            last = next((line for line in reversed(errors.splitlines()) if line.strip()), "it wrote no message")
            raise ProbeError(f"its process ended with {self._process.returncode}: {last.strip()}")
        return json.loads(self._report.read_text("utf-8"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def _environment(folder: Path, hash_seed: int) -> Mapping[str, str]:
    """Return variables with which nothing is found in a cache and nothing waits for the network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_STEERING)}
    path = [str(Path(entry).resolve()) for entry in kept.pop("PYTHONPATH", "").split(os.pathsep) if entry]
    # Where bytecode is not written, each probe would spend seconds on compiling what it imports.
    if kept.pop("PYTHONDONTWRITEBYTECODE", None):
        kept.setdefault("PYTHONPYCACHEPREFIX", str(user_cache_path("openbench") / "bytecode"))
    return {
        **kept,
        **({"PYTHONPATH": os.pathsep.join(path)} if path else {}),
        "HF_DATASETS_OFFLINE": "1",
        "HF_HOME": str(folder / "hub"),
        "HF_HUB_OFFLINE": "1",
        STORE: str(Store.here().root),
        VARIABLE: str(folder / "data"),
        "PYTHONHASHSEED": str(hash_seed),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
