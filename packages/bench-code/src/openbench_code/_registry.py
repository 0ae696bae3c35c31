"""What inspect finds through the `inspect_ai` entry point: every task of the package, and its solver and scorers."""

from openbench_code.humaneval import humaneval
from openbench_code.scorer import passes_tests, write_code

__all__ = ["humaneval", "passes_tests", "write_code"]
