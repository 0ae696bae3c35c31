"""What the tests of local evals share: `bench` as a process of its own, and distributions made up for a test."""

from openbench_testing.commands.fixtures import bench, quiz, site

__all__ = ["bench", "quiz", "site"]
