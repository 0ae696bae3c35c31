"""Metrics over samples, and some of Inspect's.

Means by group and by cluster are in openbench-scorers; the module `grouped` is in openbench-compat.
"""

from inspect_ai.scorer import accuracy, mean, std, stderr

from openbench.metrics.means import answered_rate, pass_hat

__all__ = ["accuracy", "answered_rate", "mean", "pass_hat", "std", "stderr"]
