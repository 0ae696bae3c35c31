"""The fixture that runs `bench` in a separate process."""

from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]
