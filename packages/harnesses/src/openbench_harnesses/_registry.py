"""What Inspect finds here by name: the solvers in logs of lm-evaluation-harness's tasks."""

from openbench_harnesses.lm_eval_requests import weigh, write

__all__ = ["weigh", "write"]
