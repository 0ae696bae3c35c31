"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_judges.agreement import judging
from openbench_judges.hallulens import (
    hallulens_qa_rates,
    hallulens_qa_scorer,
    hallulens_refusal_rates,
    hallulens_refusal_scorer,
)
from openbench_judges.hle import calibration, hle_grader
from openbench_judges.mt_bench import mtbench_pair_scorer, mtbench_ratings, mtbench_scorer, mtbench_solver

__all__ = [
    "calibration",
    "hallulens_qa_rates",
    "hallulens_qa_scorer",
    "hallulens_refusal_rates",
    "hallulens_refusal_scorer",
    "hle_grader",
    "judging",
    "mtbench_pair_scorer",
    "mtbench_ratings",
    "mtbench_scorer",
    "mtbench_solver",
]
