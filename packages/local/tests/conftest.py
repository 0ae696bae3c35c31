"""Shared fixtures: `bench` in a separate process, and distributions created for a test."""

from openbench_testing.commands.fixtures import bench, quiz, site

__all__ = ["bench", "quiz", "site"]
