"""Runs `bench` in a process of its own."""

from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]
