"""What inspect finds through the `inspect_ai` entry point: our model providers, scorers, solvers and metrics."""

from openbench.baselines.models import baseline
from openbench.baselines.reference import reference
from openbench.metrics import (
    answered_rate,
    by_group,
    clustered_stderr,
    macro_average,
    micro_average,
    pass_at_k,
    pass_hat,
    pass_hat_k,
    wilson,
)
from openbench.scorers.choice import choice
from openbench.scorers.exact import exact
from openbench.scorers.includes import includes
from openbench.scorers.mcq import group_stderr, mcq_scorer
from openbench.scorers.pattern import pattern

__all__ = [
    "answered_rate",
    "baseline",
    "by_group",
    "choice",
    "clustered_stderr",
    "exact",
    "group_stderr",
    "includes",
    "macro_average",
    "mcq_scorer",
    "micro_average",
    "pass_at_k",
    "pass_hat",
    "pass_hat_k",
    "pattern",
    "reference",
    "wilson",
]
