"""What these tests share: `bench` in processes of its own, and a small benchmark."""

from openbench_testing.commands.fixtures import bench, quiz

__all__ = ["bench", "quiz"]
