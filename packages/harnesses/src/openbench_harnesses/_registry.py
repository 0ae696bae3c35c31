"""Registers the solvers that appear in logs of lm-evaluation-harness's tasks with Inspect."""

from openbench_harnesses.lm_eval_requests import weigh, write

__all__ = ["weigh", "write"]
