"""Metrics over samples, and those of Inspect that serve as they are; `grouped` is a module, of openbench-compat."""

from inspect_ai.scorer import accuracy, mean, std, stderr

from openbench.metrics.means import (
    answered_rate,
    by_group,
    clustered_stderr,
    macro_average,
    micro_average,
    pass_hat,
    wilson,
)

__all__ = [
    "accuracy",
    "answered_rate",
    "by_group",
    "clustered_stderr",
    "macro_average",
    "mean",
    "micro_average",
    "pass_hat",
    "std",
    "stderr",
    "wilson",
]
