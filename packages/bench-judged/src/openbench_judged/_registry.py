"""The objects that Inspect finds through the `inspect_ai` entry point."""

from openbench_judged.hallulens import hallulens_qa, hallulens_refusal
from openbench_judged.healthbench import (
    healthbench,
    healthbench_consensus,
    healthbench_figures,
    healthbench_hard,
    healthbench_score,
    healthbench_scorer,
)
from openbench_judged.hle import hle, hle_text
from openbench_judged.mt_bench import mt_bench, mt_bench_pair
from openbench_judged.strong_reject import strong_reject, strong_reject_rubric, strong_reject_scorer
from openbench_judged.xstest import xstest, xstest_rates, xstest_scorer

__all__ = [
    "hallulens_qa",
    "hallulens_refusal",
    "healthbench",
    "healthbench_consensus",
    "healthbench_figures",
    "healthbench_hard",
    "healthbench_score",
    "healthbench_scorer",
    "hle",
    "hle_text",
    "mt_bench",
    "mt_bench_pair",
    "strong_reject",
    "strong_reject_rubric",
    "strong_reject_scorer",
    "xstest",
    "xstest_rates",
    "xstest_scorer",
]
