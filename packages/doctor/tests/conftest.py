"""What the tests of doctor share: `bench` as a process of its own, and distributions made up for a test."""

from openbench_testing.commands.fixtures import bench, site, two

__all__ = ["bench", "site", "two"]
