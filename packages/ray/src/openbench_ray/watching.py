"""Watches over the cluster: whether its head can be reached, and whether it has a node that runs anything."""

import threading
import time
from collections.abc import Callable
from typing import Any

import ray

from openbench_ray.connecting import reachable
from openbench_ray.messages import Capacity, Failed

PATIENCE = 15.0
"""Seconds that a cluster may be without its head, or without a node, before it is given up."""

START = 600.0
"""Seconds that a cluster may take to bring its first node up."""

_EVERY = 1.0


class Watch:
    """A thread that says how large the cluster is, and when it is gone: Ray would wait, or end the driver."""

    def __init__(self, address: str, say: Callable[[Capacity | Failed], None]) -> None:
        """Begin to watch.

        Args:
            address: `HOST:PORT` of the head.
            say: Is told how many CPUs there are when that changes, and what is gone.
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
                self._say(Failed(f"the head of the cluster, {self._address}, cannot be reached any more"))
                return
            if now - node > patience + now - head:
                self._say(Failed(f"the cluster at {self._address} has no node any more that could run a sample"))
                return


def nodes() -> list[dict[str, Any]]:
    """Return what the head knows of nodes that are alive and have CPUs."""
    known: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in known if node["Alive"] and node["Resources"].get("CPU")]


def cpus_alive() -> int:
    """Return how many CPUs the nodes have that are alive."""
    return int(sum(node["Resources"]["CPU"] for node in nodes()))


def is_alive(node_id: str) -> bool:
    """Return whether a node is alive: whether its raylet takes connections, since the head learns of its end late."""
    own = (node for node in nodes() if node["NodeID"] == node_id)
    return any(reachable(f"{each['NodeManagerAddress']}:{each['NodeManagerPort']}", _EVERY) is None for each in own)
