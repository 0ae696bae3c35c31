"""What inspect finds through the `inspect_ai` entry point: our model providers, scorers and solvers."""

from openbench.baselines.provider import baseline
from openbench.baselines.reference import reference
from openbench.scorers.mcq import mcq_scorer

__all__ = ["baseline", "mcq_scorer", "reference"]
