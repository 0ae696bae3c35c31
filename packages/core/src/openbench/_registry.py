"""What inspect finds through the `inspect_ai` entry point: our model providers, scorers, solvers and metrics."""

from openbench.baselines.models import baseline
from openbench.baselines.reference import reference
from openbench.metrics import answered_rate, pass_hat
from openbench.scorers.exact import exact
from openbench.scorers.mcq import group_stderr, mcq_scorer
from openbench.scorers.pattern import pattern

__all__ = ["answered_rate", "baseline", "exact", "group_stderr", "mcq_scorer", "pass_hat", "pattern", "reference"]
