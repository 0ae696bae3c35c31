"""A Ray cluster of several nodes on this machine, for experiments, tests and benchmarks.

    with LocalCluster(nodes=[2, 2]) as cluster:
        subprocess.run(["bench", "eval", "simpleqa", "--ray", "--address", cluster.address], env=cluster.environment())

The nodes listen only on the loopback address, and require the cluster's token. The head runs no samples.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

_HOST = "127.0.0.1"
_SECONDS = 60.0  # for a node to start
_STARTED = "Ray runtime started"
_STORE = 100_000_000  # bytes; Ray's minimum is 75 MB

# `ray start` replaces the loopback address with this machine's own address, which others could reach.
_START = f"""
import sys
from ray._private import services
services.get_node_ip_address = lambda address=None: {_HOST!r}
from ray.scripts.scripts import main
sys.exit(main())
"""


class Node:
    """A node: `ray start` and its child processes."""

    def __init__(self, folder: Path, command: Sequence[str], environment: dict[str, str]) -> None:
        """Start a node that writes its files to a folder."""
        folder.mkdir()
        self.log = folder / "start.log"
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - Ray
                [*command, "--temp-dir", str(folder / "t")],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait(self, until: Callable[[], bool] | None = None) -> None:
        """Wait until the node has joined its cluster, or until a condition holds.

        Raises:
            RuntimeError: That does not happen within a minute.
        """
        end = time.monotonic() + _SECONDS
        while not (until() if until else _STARTED in self.log.read_text("utf-8", errors="replace")):
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"a node did not start:\n{self.log.read_text('utf-8', errors='replace')}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill the node with its raylet and its workers, like the loss of a machine."""
        for pid in [self._process.pid, *_descendants(self._process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


class LocalCluster:
    """A head without CPUs, and nodes. A context manager, which stops the cluster on exit.

    Attributes:
        address: The address of the head.
        nodes: The nodes, in the order in which they were started.
    """

    def __init__(
        self,
        nodes: Sequence[int] = (2, 2),
        *,
        python: str = sys.executable,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Describe a cluster.

        Args:
            nodes: The number of CPUs that each node reports; it is not enforced.
            python: The interpreter of the nodes, with Ray, pip and virtualenv.
            variables: Environment variables of the nodes, added to those of this process.
        """
        self._cpus = list(nodes)
        self._python = python
        self._variables = dict(variables or {})
        self._folder = Path(tempfile.mkdtemp(prefix="ray-"))  # a short path, since Ray creates sockets in it
        self._token = self._folder / "token"
        self._token.touch(mode=0o600)
        self._token.write_text(secrets.token_hex(32), "utf-8")
        self._started = 0
        self._head: Node | None = None
        self.address = f"{_HOST}:{_free_port()}"
        self.nodes: list[Node] = []

    def environment(self) -> dict[str, str]:
        """Return this process's variables, with those needed to connect."""
        own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(self._token)}
        return {**os.environ, **own}

    def start(self) -> None:
        """Start the head and the nodes.

        Raises:
            RuntimeError: One of them did not start.
        """
        port = self.address.rpartition(":")[2]
        self._head = self._start("--head", "--port", port, "--num-cpus", "0", "--include-dashboard", "false")
        self._head.wait(until=lambda: _listens(int(port)))
        self.nodes = [self._start("--address", self.address, "--num-cpus", str(cpus)) for cpus in self._cpus]
        for node in (self._head, *self.nodes):
            node.wait()

    def restart(self) -> None:
        """Stop the cluster, and start it again at the same address.

        Raises:
            RuntimeError: A node did not start.
        """
        self.stop()
        self.start()

    def kill_head(self) -> None:
        """Kill the head."""
        if self._head:
            self._head.kill()

    def stop(self) -> None:
        """Kill all nodes."""
        for node in filter(None, [*self.nodes, self._head]):
            node.kill()

    def _start(self, *arguments: str) -> Node:
        self._started += 1
        fixed = ["--block", "--node-ip-address", _HOST, "--object-store-memory", str(_STORE)]
        quiet = ["--disable-usage-stats", "--include-log-monitor", "false", "--dashboard-agent-listen-port", "0"]
        command = [self._python, "-c", _START, "start", *fixed, *quiet, *arguments]
        return Node(self._folder / str(self._started), command, {**self.environment(), **self._variables})

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((_HOST, port)) == 0


def _descendants(pid: int) -> list[int]:
    """Return the descendants of a process, from /proc."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just exited
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]
