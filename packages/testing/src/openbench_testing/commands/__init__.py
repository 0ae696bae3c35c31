"""Helpers for tests of `bench`: command lines in separate processes, a small benchmark, and installed plugins."""

from openbench_testing.commands.bench import Bench, Done, environment, fresh, local_model
from openbench_testing.commands.quiz import QUIZ, write_quiz, write_rows
from openbench_testing.commands.site import Site

__all__ = ["QUIZ", "Bench", "Done", "Site", "environment", "fresh", "local_model", "write_quiz", "write_rows"]
