"""A Ray cluster of several nodes on this machine, for trying out, tests and benchmarks.

    with LocalCluster(nodes=[2, 2]) as cluster:
        subprocess.run(["bench", "eval", "simpleqa", "--ray", "--address", cluster.address], env=cluster.environment())

The nodes listen on the loopback address alone, and take no one without the cluster's token. The head runs no samples.
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
_STORE = 100_000_000  # bytes; 75 MB is the least that Ray takes

# `ray start` takes the loopback address for this machine's own address, on which everyone could reach it.
_START = f"""
import sys
from ray._private import services
services.get_node_ip_address = lambda address=None: {_HOST!r}
from ray.scripts.scripts import main
sys.exit(main())
"""


class Node:
    """A node: `ray start`, and the processes that it has started."""

    def __init__(self, folder: Path, command: Sequence[str], environment: dict[str, str]) -> None:
        """Start a node whose files go to a folder."""
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
        """Wait until it has joined its cluster, or for something else that it brings about.

        Raises:
            RuntimeError: It has not.
        """
        end = time.monotonic() + _SECONDS
        while not (until() if until else _STARTED in self.log.read_text("utf-8", errors="replace")):
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"a node did not start:\n{self.log.read_text('utf-8', errors='replace')}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it, its raylet and its workers at once, as the loss of a machine would."""
        for pid in [self._process.pid, *_descendants(self._process.pid)]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()


class LocalCluster:
    """A head without CPUs, and nodes; as a context, it is gone when the context is.

    Attributes:
        address: Where the head is.
        nodes: The nodes, in the order of their start.
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
            nodes: How many CPUs each node says it has; nothing holds it to them.
            python: The interpreter of the nodes, which has Ray, pip and virtualenv.
            variables: What the nodes have in their environment besides what this process has.
        """
        self._cpus = list(nodes)
        self._python = python
        self._variables = dict(variables or {})
        self._folder = Path(tempfile.mkdtemp(prefix="ray-"))  # short, since Ray puts sockets below it
        self._token = self._folder / "token"
        self._token.touch(mode=0o600)
        self._token.write_text(secrets.token_hex(32), "utf-8")
        self._started = 0
        self._head: Node | None = None
        self.address = f"{_HOST}:{_free_port()}"
        self.nodes: list[Node] = []

    def environment(self) -> dict[str, str]:
        """Return this process's variables with those that let a process connect."""
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
        """End everything, and start it anew at the same address.

        Raises:
            RuntimeError: A node did not start.
        """
        self.stop()
        self.start()

    def kill_head(self) -> None:
        """End the head at once."""
        if self._head:
            self._head.kill()

    def stop(self) -> None:
        """End everything at once."""
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
    """Return the processes below one, as /proc has them."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(status.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]
