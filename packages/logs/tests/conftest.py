"""What these tests share: `bench` in processes of its own, and a small benchmark whose logs they read."""

from openbench_testing.commands.fixtures import bench, fresh_bench, quiz, site

__all__ = ["bench", "fresh_bench", "quiz", "site"]
