"""What inspect finds through the `inspect_ai` entry point: our model providers, scorers, solvers and metrics."""

from openbench.baselines.models import baseline
from openbench.baselines.reference import reference
from openbench.metrics import (
    answered_rate,
    by_group,
    clustered_stderr,
    macro_average,
    micro_average,
    pass_hat,
    wilson,
)
from openbench.scorers.exact import exact
from openbench.scorers.mcq import group_stderr, mcq_scorer
from openbench.scorers.pattern import pattern

__all__ = [
    "answered_rate",
    "baseline",
    "by_group",
    "clustered_stderr",
    "exact",
    "group_stderr",
    "macro_average",
    "mcq_scorer",
    "micro_average",
    "pass_hat",
    "pattern",
    "reference",
    "wilson",
]
