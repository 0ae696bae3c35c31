"""The solvers, scorers and metrics that Inspect finds through the `inspect_ai` entry point."""

from openbench_ranking.calibration import calibration
from openbench_ranking.scorer import grouped_mean, ranking
from openbench_ranking.solver import rank, ranked_reference

__all__ = ["calibration", "grouped_mean", "rank", "ranked_reference", "ranking"]
