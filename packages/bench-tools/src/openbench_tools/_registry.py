"""What inspect finds through the `inspect_ai` entry point: every task of the package, its solvers and its scorer."""

from openbench_tools.bfcl import bfcl, bfcl_live
from openbench_tools.scorer import bfcl_scorer
from openbench_tools.solvers import bfcl_solver, bfcl_text_solver

__all__ = ["bfcl", "bfcl_live", "bfcl_scorer", "bfcl_solver", "bfcl_text_solver"]
