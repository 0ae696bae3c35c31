"""The objects that Inspect finds through the `inspect_ai` entry point: every task of the package."""

from openbench_mcq.agieval import (
    agieval_aqua_rat,
    agieval_gaokao_biology,
    agieval_gaokao_chemistry,
    agieval_gaokao_chinese,
    agieval_gaokao_english,
    agieval_gaokao_geography,
    agieval_gaokao_history,
    agieval_gaokao_mathqa,
    agieval_gaokao_physics,
    agieval_jec_qa_ca,
    agieval_jec_qa_kd,
    agieval_logiqa_en,
    agieval_logiqa_zh,
    agieval_lsat_ar,
    agieval_lsat_lr,
    agieval_lsat_rc,
    agieval_sat_en,
    agieval_sat_en_without_passage,
    agieval_sat_math,
)
from openbench_mcq.arabic_exams import arabic_exams
from openbench_mcq.arc import arc_challenge, arc_easy
from openbench_mcq.bbeh import bbeh, bbeh_mini, bbeh_scorer
from openbench_mcq.bbh import bbh, bbh_scorer
from openbench_mcq.boolq import boolq
from openbench_mcq.commonsense_qa import commonsense_qa
from openbench_mcq.copa import copa
from openbench_mcq.ethics import ethics
from openbench_mcq.gpqa import gpqa_diamond, gpqa_extended, gpqa_main
from openbench_mcq.headqa import headqa
from openbench_mcq.hellaswag import hellaswag
from openbench_mcq.inference import anli, rte, wic
from openbench_mcq.longbench_v2 import longbench_v2
from openbench_mcq.medmcqa import medmcqa
from openbench_mcq.medqa import medqa
from openbench_mcq.medxpertqa import medxpertqa
from openbench_mcq.musr import musr
from openbench_mcq.openbookqa import openbookqa
from openbench_mcq.piqa import piqa
from openbench_mcq.race import race
from openbench_mcq.sciq import sciq
from openbench_mcq.social_iqa import social_iqa
from openbench_mcq.supergpqa import supergpqa
from openbench_mcq.translated_mmlu import global_mmlu, mmmlu
from openbench_mcq.truthfulqa import truthfulqa_mc1
from openbench_mcq.truthfulqa_mc2 import truthfulqa_mc2
from openbench_mcq.winogrande import winogrande

__all__ = [
    "agieval_aqua_rat",
    "agieval_gaokao_biology",
    "agieval_gaokao_chemistry",
    "agieval_gaokao_chinese",
    "agieval_gaokao_english",
    "agieval_gaokao_geography",
    "agieval_gaokao_history",
    "agieval_gaokao_mathqa",
    "agieval_gaokao_physics",
    "agieval_jec_qa_ca",
    "agieval_jec_qa_kd",
    "agieval_logiqa_en",
    "agieval_logiqa_zh",
    "agieval_lsat_ar",
    "agieval_lsat_lr",
    "agieval_lsat_rc",
    "agieval_sat_en",
    "agieval_sat_en_without_passage",
    "agieval_sat_math",
    "anli",
    "arabic_exams",
    "arc_challenge",
    "arc_easy",
    "bbeh",
    "bbeh_mini",
    "bbeh_scorer",
    "bbh",
    "bbh_scorer",
    "boolq",
    "commonsense_qa",
    "copa",
    "ethics",
    "global_mmlu",
    "gpqa_diamond",
    "gpqa_extended",
    "gpqa_main",
    "headqa",
    "hellaswag",
    "longbench_v2",
    "medmcqa",
    "medqa",
    "medxpertqa",
    "mmmlu",
    "musr",
    "openbookqa",
    "piqa",
    "race",
    "rte",
    "sciq",
    "social_iqa",
    "supergpqa",
    "truthfulqa_mc1",
    "truthfulqa_mc2",
    "wic",
    "winogrande",
]
