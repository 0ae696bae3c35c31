"""What these tests share: `bench` in processes of its own."""

from openbench_testing.commands.fixtures import bench

__all__ = ["bench"]
