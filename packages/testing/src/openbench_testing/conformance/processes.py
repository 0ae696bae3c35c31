"""Starts probes in separate processes, which contain the effects of plugins."""

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_cache_path

from openbench.datasets.store import VARIABLE, Store
from openbench.errors import OpenbenchError

STORE = "OPENBENCH_CHECKED_DATA_DIR"
"""The variable with the user's own data store for a probe, whose other stores and caches start empty."""

_PROBES = "openbench_testing.conformance.probes"
_STEERING = ("BENCH_", "INSPECT_", "PYTEST_")
_SECONDS = 120
_SECONDS_A_BENCHMARK = 15


class ProbeError(OpenbenchError):
    """A probe did not complete."""


class Host:
    """A process that has imported Inspect, from which probes are forked one after the other."""

    def __init__(self, folder: Path, hash_seed: int) -> None:
        """Start the process; its caches in the folder start empty."""
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", f"{_PROBES}.host"],
            cwd=folder,
            env=_environment(folder, hash_seed),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    def report(
        self, probe: str, folder: Path, arguments: Sequence[str], standard_input: str = "", *, benchmarks: int = 1
    ) -> Any:
        """Run a probe to its end, and return its report.

        Args:
            probe: The probe's module.
            folder: The folder that it writes to.
            arguments: Its arguments.
            standard_input: Its standard input.
            benchmarks: The number of benchmarks, to which its timeout is proportional.

        Raises:
            ProbeError: The probe crashed or timed out.
        """
        own = Path(tempfile.mkdtemp(dir=folder))
        report, errors = own / "report.json", own / "errors"
        seconds = _SECONDS + _SECONDS_A_BENCHMARK * benchmarks
        given = {"probe": probe, "arguments": [str(report), *arguments], "input": standard_input}
        assert self._process.stdin  # noqa: S101
        assert self._process.stdout  # noqa: S101
        self._process.stdin.write(json.dumps({**given, "errors": str(errors), "seconds": seconds}) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise ProbeError("the process that starts it has ended")
        if (code := int(answer)) == -signal.SIGALRM:
            raise ProbeError(f"timed out after {seconds} s")
        return _read(report, code, errors.read_text("utf-8", "replace"))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


class Hosts(NamedTuple):
    """Two hosts, whose hash seeds differ."""

    first: Host
    second: Host


_free: list[Hosts] = []


@contextlib.contextmanager
def two_hosts() -> Iterator[Hosts]:
    """Yield two hosts, which are started if none are free, and live as long as this process."""
    try:
        hosts = _free.pop()
    except IndexError:
        folder = tempfile.TemporaryDirectory(prefix="openbench-hosts-")
        atexit.register(folder.cleanup)
        hosts = Hosts(*(Host(Path(folder.name), hash_seed) for hash_seed in (1, 2)))
        for host in hosts:
            atexit.register(host.close)
    yield hosts
    if all(host.alive for host in hosts):
        _free.append(hosts)


def fresh_report(probe: str, folder: Path, arguments: Sequence[str]) -> Any:
    """Run a probe in a separate process with nothing imported, and return its report.

    Raises:
        ProbeError: The probe crashed or timed out.
    """
    report = Path(tempfile.mkdtemp(dir=folder)) / "report.json"
    command = [sys.executable, "-m", f"{_PROBES}.{probe}", str(report), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command,
            cwd=folder,
            env=_environment(folder, 1),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProbeError(f"timed out after {_SECONDS} s") from error
    return _read(report, done.returncode, done.stderr)


def _read(report: Path, code: int, errors: str) -> Any:
    if code or not report.is_file():
        last = next((line for line in reversed(errors.splitlines()) if line.strip()), "it wrote no message")
        raise ProbeError(f"its process ended with {code}: {last.strip()}")
    return json.loads(report.read_text("utf-8"))


def _environment(folder: Path, hash_seed: int) -> Mapping[str, str]:
    """Return environment variables with empty caches and without waiting for the network."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_STEERING)}
    path = [str(Path(entry).resolve()) for entry in kept.pop("PYTHONPATH", "").split(os.pathsep) if entry]
    # Without bytecode, each probe would spend seconds compiling its imports.
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
