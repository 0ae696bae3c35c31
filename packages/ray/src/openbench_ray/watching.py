"""Watches the cluster: whether its head is reachable, and whether it has a node that can run samples."""

import threading
import time
from collections.abc import Callable
from typing import Any

import ray

from openbench_ray.connecting import reachable
from openbench_ray.messages import Capacity, Failed

PATIENCE = 15.0
"""Seconds without a reachable head, or without a node, after which a cluster is given up."""

START = 600.0
"""Seconds that a cluster may take to start its first node."""

_EVERY = 1.0


class Watch:
    """A thread that reports the cluster's size and its loss; Ray itself would wait, or end the driver."""

    def __init__(self, address: str, say: Callable[[Capacity | Failed], None]) -> None:
        """Start watching.

        Args:
            address: `HOST:PORT` of the head.
            say: Called with the number of CPUs when it changes, and with the failure when the cluster is lost.
        """
        self._address = address
        self._say = say
        threading.Thread(target=self._watch, name="openbench-watch", daemon=True).start()

    def _counted(self, before: int) -> int:
        cpus = cpus_alive()
        if cpus != before:
            self._say(Capacity(cpus))
        return cpus

    def _watch(self) -> None:
        head = node = time.monotonic()
        patience, cpus = START, -1
        while True:
            time.sleep(_EVERY)
            now = time.monotonic()
            if reachable(self._address, _EVERY) is None:
                head = now
                cpus = self._counted(cpus)
                if cpus:
                    node, patience = now, PATIENCE
            if now - head > PATIENCE:
                self._say(Failed(f"the head of the cluster, {self._address}, is no longer reachable"))
                return
            if now - node > patience + now - head:
                self._say(Failed(f"the cluster at {self._address} no longer has a node that could run a sample"))
                return


def nodes() -> list[dict[str, Any]]:
    """Return the head's data on live nodes with CPUs."""
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in known if node["Alive"] and node["Resources"].get("CPU")]


def cpus_alive() -> int:
    """Return the number of CPUs of live nodes."""
    return int(sum(node["Resources"]["CPU"] for node in nodes()))


def is_alive(node_id: str) -> bool:
    """Return whether a node's raylet accepts connections; the head learns of a node's end with a delay."""
    own = (node for node in nodes() if node["NodeID"] == node_id)
    return any(reachable(f"{each['NodeManagerAddress']}:{each['NodeManagerPort']}", _EVERY) is None for each in own)
