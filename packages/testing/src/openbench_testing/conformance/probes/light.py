"""Loads the metadata of one distribution alone: `python -m … REPORT DISTRIBUTION`."""

import importlib.metadata
import sys

from openbench_testing.conformance.evidence import Light
from openbench_testing.conformance.probes.guard import forbid_network
from openbench_testing.conformance.probes.report import described, write

_GROUPS = ("openbench.benchmarks", "openbench.groups")
_HEAVY = ("inspect_ai", "datasets")


def load(distribution: str) -> Light:
    """Load the entry points of a distribution like `bench list`, and report the effects."""
    points = importlib.metadata.distribution(distribution).entry_points
    sockets = forbid_network(sockets=True)
    error = None
    try:
        for point in points:
            if point.group in _GROUPS:
                loaded = point.load()
                _ = loaded() if callable(loaded) else loaded
    except Exception as raised:  # noqa: BLE001 - a plugin's code may raise anything
        error = described(raised)
    return Light(imported=[name for name in _HEAVY if name in sys.modules], sockets=sockets, error=error)


if __name__ == "__main__":
    write(sys.argv[1], load(sys.argv[2]))
