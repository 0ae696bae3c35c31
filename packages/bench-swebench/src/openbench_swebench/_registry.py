"""What inspect finds through the `inspect_ai` entry point: the task of the package, its solver and its scorer."""

from openbench_swebench.scorer import swebench_server_scorer
from openbench_swebench.solver import swebench_patch_solver
from openbench_swebench.task import swebench_verified

__all__ = ["swebench_patch_solver", "swebench_server_scorer", "swebench_verified"]
