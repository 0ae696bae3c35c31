"""Exams of schools, universities and professions: their sources, pinned here and nowhere else, and their entries."""

from collections.abc import Sequence

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry

_AGIEVAL_REVISION = "84ab72d94318290aad2e4ec820d535a95a1f7552"


def _agieval_file(name: str, *, sha256: str, licence: str, verified: int | None = None) -> DatasetSource:
    return DatasetSource(
        source=f"https://raw.githubusercontent.com/ruixiangcui/AGIEval/{_AGIEVAL_REVISION}/data/v1_1/{name}.jsonl",
        type="json",
        revision=_AGIEVAL_REVISION,
        sha256=sha256,
        licence=licence,
        verified=verified,
    )


AGIEVAL_AQUA_RAT = _agieval_file(
    "aqua-rat",
    sha256="cff42e946e6082dacb27285dae19cb4be98408ab760fe43c6c462e543be50572",
    licence="Apache-2.0",
    verified=254,
)
AGIEVAL_SAT_MATH = _agieval_file(
    "sat-math",
    sha256="9cde4c0522b6196852a5562db6e72bf8817b4802822db0fc10013d1becdab3c3",
    licence="MIT",
    verified=220,
)
AGIEVAL_LSAT_AR = _agieval_file(
    "lsat-ar",
    sha256="3b3e3fe09a07c695326adb82f38da0d67d5bbaadab41551f198c3102f1ea9dc8",
    licence="MIT",
    verified=230,
)
AGIEVAL_LSAT_LR = _agieval_file(
    "lsat-lr",
    sha256="c6acb4d843db7b515da4d853e52bb8e6e5f776910f2e35a1805634db24bf94ea",
    licence="MIT",
)
AGIEVAL_LOGIQA_EN = _agieval_file(
    "logiqa-en",
    sha256="63d0e8efaca1944e7eac5037903650f92ca9c036155a66b4e95bf2aa06da1702",
    licence="CC-BY-NC-SA-4.0",
    verified=651,
)


HEADQA = DatasetSource(  # a configuration for each language
    source="EleutherAI/headqa",
    split="test",
    revision="593a44375d0a7faa4f52e32c14be9c196b905e90",
    licence="MIT",  # of the authors' repository; the Hub's card says "other"
    verified=5_484,  # of a copy of the authors' files, of which 5,350 ask about no image
)
HEADQA_LANGUAGES: Sequence[str] = ("en", "es")

_TEMPERATURE = "Without a temperature or a system message, 1 epoch."
_AGIEVAL_PAPER = "https://arxiv.org/abs/2304.06364"
_AGIEVAL_HOMEPAGE = "https://github.com/ruixiangcui/AGIEval"

BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        entry(
            "headqa",
            "headqa",
            "HEAD-QA",
            "Exams for specialised posts in the Spanish health care system, in Spanish and in English.",
            category="medicine",
            tags=("exam", "multilingual"),
            dataset=HEADQA,
            samples=5_350,
            paper="https://arxiv.org/abs/1906.04701",
            homepage="https://github.com/aghie/head-qa",
            languages=tuple(HEADQA_LANGUAGES),
            notes=(
                "Questions about images are left out.",
                "One language, 2,675 questions: -T language=es.",
                _TEMPERATURE,
            ),
        ),
        entry(
            "agieval_aqua_rat",
            "agieval",
            "AGIEval AQuA-RAT",
            "Algebraic word problems with five options.",
            category="exams",
            tags=("agieval", "math"),
            dataset=AGIEVAL_AQUA_RAT,
            samples=254,
            paper=_AGIEVAL_PAPER,
            homepage=_AGIEVAL_HOMEPAGE,
        ),
        entry(
            "agieval_sat_math",
            "agieval",
            "AGIEval SAT-Math",
            "The multiple-choice mathematics of a college entrance exam.",
            category="exams",
            tags=("agieval", "math"),
            dataset=AGIEVAL_SAT_MATH,
            samples=220,
            paper=_AGIEVAL_PAPER,
            homepage=_AGIEVAL_HOMEPAGE,
        ),
        entry(
            "agieval_lsat_ar",
            "agieval",
            "AGIEval LSAT-AR",
            "The logic games of a law school entrance exam.",
            category="exams",
            tags=("agieval", "reasoning", "law"),
            dataset=AGIEVAL_LSAT_AR,
            samples=230,
            paper=_AGIEVAL_PAPER,
            homepage=_AGIEVAL_HOMEPAGE,
        ),
        entry(
            "agieval_lsat_lr",
            "agieval",
            "AGIEval LSAT-LR",
            "The short arguments of a law school entrance exam.",
            category="exams",
            tags=("agieval", "reasoning", "law"),
            dataset=AGIEVAL_LSAT_LR,
            samples=510,
            paper=_AGIEVAL_PAPER,
            homepage=_AGIEVAL_HOMEPAGE,
        ),
        entry(
            "agieval_logiqa_en",
            "agieval",
            "AGIEval LogiQA (English)",
            "Logic questions of a civil service exam, translated into English.",
            category="exams",
            tags=("agieval", "reasoning"),
            dataset=AGIEVAL_LOGIQA_EN,
            samples=651,
            paper=_AGIEVAL_PAPER,
            homepage=_AGIEVAL_HOMEPAGE,
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {
    "agieval": BenchmarkGroup(
        name="AGIEval",
        description="Five English multiple-choice sets of AGIEval.",
        category="exams",
        benchmarks=(
            "agieval_aqua_rat",
            "agieval_sat_math",
            "agieval_lsat_ar",
            "agieval_lsat_lr",
            "agieval_logiqa_en",
        ),
    ),
}
