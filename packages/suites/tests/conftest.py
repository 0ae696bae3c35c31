"""Shared fixtures: `bench` in a separate process, and distributions created for a test."""

from openbench_testing.commands.fixtures import bench, site

__all__ = ["bench", "site"]
