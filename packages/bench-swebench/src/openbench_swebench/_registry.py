"""The module of the `inspect_ai` entry point: registers the package's task, solver and scorer."""

from openbench_swebench.scorer import swebench_server_scorer
from openbench_swebench.solver import swebench_patch_solver
from openbench_swebench.task import swebench_verified

__all__ = ["swebench_patch_solver", "swebench_server_scorer", "swebench_verified"]
