"""What the tests of bundles share: `bench` as a process of its own, and a disk that can be full."""

from openbench_testing.commands.fixtures import bench, disk, site

__all__ = ["bench", "disk", "site"]
