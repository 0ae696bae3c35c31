"""The module of the `inspect_ai` entry point: registers the package's tasks, solvers and scorer."""

from openbench_tools.bfcl import bfcl, bfcl_live
from openbench_tools.scorer import bfcl_scorer
from openbench_tools.solvers import bfcl_solver, bfcl_text_solver

__all__ = ["bfcl", "bfcl_live", "bfcl_scorer", "bfcl_solver", "bfcl_text_solver"]
