"""Registers with Inspect the solvers that logs of lm-evaluation-harness's tasks name."""

from openbench_harnesses.lm_eval_requests import weigh, write

__all__ = ["weigh", "write"]
