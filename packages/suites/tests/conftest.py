"""What the tests of suites share: `bench` as a process of its own, and distributions made up for a test."""

from openbench_testing.commands.fixtures import bench, site

__all__ = ["bench", "site"]
