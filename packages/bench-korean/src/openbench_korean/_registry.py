"""The objects that Inspect finds through the `inspect_ai` entry point: every task, scorer and metric of the package."""

from openbench_korean.aime import ko_aime2025
from openbench_korean.continuation import ko_hellaswag
from openbench_korean.exams import kmmlu, kmmlu_pro
from openbench_korean.files import ko_moral, ko_truthful_qa
from openbench_korean.haerae import haerae_bench_v1, haerae_bench_v1_rc, haerae_bench_v1_wo_rc
from openbench_korean.hate_speech import korean_hate_speech
from openbench_korean.kobalt import ko_balt_700, ko_balt_700_semantic, ko_balt_700_syntax
from openbench_korean.kobbq import kobbq, kobbq_by_category, kobbq_figures, kobbq_scorer
from openbench_korean.kobest import kobest_boolq, kobest_copa, kobest_hellaswag, kobest_sentineg, kobest_wic
from openbench_korean.kormedmcqa import kormedmcqa
from openbench_korean.mathematics import hrm8k
from openbench_korean.squad_kor import squad_kor_v1

__all__ = [
    "haerae_bench_v1",
    "haerae_bench_v1_rc",
    "haerae_bench_v1_wo_rc",
    "hrm8k",
    "kmmlu",
    "kmmlu_pro",
    "ko_aime2025",
    "ko_balt_700",
    "ko_balt_700_semantic",
    "ko_balt_700_syntax",
    "ko_hellaswag",
    "ko_moral",
    "ko_truthful_qa",
    "kobbq",
    "kobbq_by_category",
    "kobbq_figures",
    "kobbq_scorer",
    "kobest_boolq",
    "kobest_copa",
    "kobest_hellaswag",
    "kobest_sentineg",
    "kobest_wic",
    "korean_hate_speech",
    "kormedmcqa",
    "squad_kor_v1",
]
