"""The objects that Inspect finds through the `inspect_ai` entry point: the tasks, the solver and the scorers."""

from openbench_code.cruxeval import cruxeval_input, cruxeval_output, predicts
from openbench_code.humaneval import humaneval, humaneval_plus
from openbench_code.livecodebench import livecodebench, passes_contest_tests
from openbench_code.mbpp import mbpp, mbpp_plus, mbpp_sanitized
from openbench_code.multipl_e import multipl_e, passes_foreign_tests
from openbench_code.scorer import passes_tests, write_code

__all__ = [
    "cruxeval_input",
    "cruxeval_output",
    "humaneval",
    "humaneval_plus",
    "livecodebench",
    "mbpp",
    "mbpp_plus",
    "mbpp_sanitized",
    "multipl_e",
    "passes_contest_tests",
    "passes_foreign_tests",
    "passes_tests",
    "predicts",
    "write_code",
]
