"""Metadata of exams of schools, universities and professions, and the pins of their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry


@dataclass(frozen=True)
class ExamSet:
    """A set of AGIEval, which is one file.

    Attributes:
        file: The name of the file, without its extension.
        title: The display name.
        description: One sentence.
        tags: The tags for searching.
        rows: The number of rows, all of which were verified.
        sha256: The SHA-256 digest of the file.
        licence: The licence of the rows.
        language: The language of the questions.
        unusable: The number of rows with blank options, which are left out.
        passages: Whether several questions may share a passage.
    """

    file: str
    title: str
    description: str
    tags: tuple[str, ...]
    rows: int
    sha256: str
    licence: str = "MIT"
    language: str = "en"
    unusable: int = 0
    passages: bool = False

    @property
    def key(self) -> str:
        """The key of the benchmark, which is also the name of the task function."""
        return f"agieval_{self.file.replace('-', '_')}"

    @property
    def source(self) -> DatasetSource:
        """The pinned file."""
        return DatasetSource(
            source=f"https://raw.githubusercontent.com/ruixiangcui/AGIEval/{_AGIEVAL_REVISION}/data/v1_1/{self.file}.jsonl",
            type="json",
            revision=_AGIEVAL_REVISION,
            sha256=self.sha256,
            licence=self.licence,
            verified=self.rows,
        )


_AGIEVAL_REVISION = "84ab72d94318290aad2e4ec820d535a95a1f7552"

AGIEVAL: Mapping[str, ExamSet] = {
    each.key: each
    for each in (
        ExamSet(
            "aqua-rat",
            "AQuA-RAT",
            "Algebraic word problems with five options.",
            tags=("math",),
            rows=254,
            sha256="cff42e946e6082dacb27285dae19cb4be98408ab760fe43c6c462e543be50572",
            licence="Apache-2.0",
        ),
        ExamSet(
            "sat-math",
            "SAT-Math",
            "Multiple-choice mathematics questions from a college entrance exam.",
            tags=("math",),
            rows=220,
            sha256="9cde4c0522b6196852a5562db6e72bf8817b4802822db0fc10013d1becdab3c3",
            passages=True,
        ),
        ExamSet(
            "sat-en",
            "SAT-English",
            "Reading questions from a college entrance exam, with their passages.",
            tags=("reading",),
            rows=206,
            sha256="33fe87b32ff16ae7ba52b27bb398190b082253b3617a3eb9737005262ba12dd4",
            passages=True,
        ),
        ExamSet(
            "sat-en-without-passage",
            "SAT-English without passages",
            "The same reading questions without their passages, to measure the accuracy of guessing.",
            tags=("reading",),
            rows=206,
            sha256="77eb57bb6f6f39466d5d169de5253e77755ef521ad6692f582307672affbf593",
        ),
        ExamSet(
            "lsat-ar",
            "LSAT-AR",
            "Logic games from a law school entrance exam.",
            tags=("reasoning", "law"),
            rows=230,
            sha256="3b3e3fe09a07c695326adb82f38da0d67d5bbaadab41551f198c3102f1ea9dc8",
            passages=True,
        ),
        ExamSet(
            "lsat-lr",
            "LSAT-LR",
            "Questions about short arguments from a law school entrance exam.",
            tags=("reasoning", "law"),
            rows=510,
            sha256="c6acb4d843db7b515da4d853e52bb8e6e5f776910f2e35a1805634db24bf94ea",
            passages=True,
        ),
        ExamSet(
            "lsat-rc",
            "LSAT-RC",
            "Reading questions from a law school entrance exam.",
            tags=("reading", "law"),
            rows=269,
            sha256="0eed491b3099d66b8110d4fabb98ce43285a6ac61ea5643285eec11b8abce202",
            passages=True,
        ),
        ExamSet(
            "logiqa-en",
            "LogiQA (English)",
            "Logic questions from a Chinese civil service exam, translated into English.",
            tags=("reasoning",),
            rows=651,
            sha256="63d0e8efaca1944e7eac5037903650f92ca9c036155a66b4e95bf2aa06da1702",
            licence="CC-BY-NC-SA-4.0",
            passages=True,
        ),
        ExamSet(
            "logiqa-zh",
            "LogiQA (Chinese)",
            "Logic questions from a Chinese civil service exam.",
            tags=("reasoning", "chinese"),
            rows=651,
            sha256="0e5f6548932ce6cd388d8432d015db9baa468731c94409c98d20902832bb099c",
            licence="CC-BY-NC-SA-4.0",
            language="zh",
            passages=True,
        ),
        ExamSet(
            "jec-qa-kd",
            "JEC-QA-KD",
            "Questions about concepts from the Chinese judicial exam.",
            tags=("law", "chinese"),
            rows=479,
            sha256="fec1d0d85d480ee6c23371af59b2305732d8561296cd878b5367b65ebfc4a467",
            licence="academic research",
            language="zh",
        ),
        ExamSet(
            "jec-qa-ca",
            "JEC-QA-CA",
            "Questions about cases from the Chinese judicial exam.",
            tags=("law", "chinese"),
            rows=533,
            sha256="704efb9943cb827811d883163d893d483451ddaaf9f595f94866e51e70e20785",
            licence="academic research",
            language="zh",
        ),
        ExamSet(
            "gaokao-biology",
            "Gaokao Biology",
            "Biology questions from the Chinese college entrance exam.",
            tags=("gaokao", "science", "chinese"),
            rows=230,
            sha256="789baadad69c998743302143a3e1c2022a2aca785bbe75644877a336242c7e69",
            language="zh",
        ),
        ExamSet(
            "gaokao-chemistry",
            "Gaokao Chemistry",
            "Chemistry questions from the Chinese college entrance exam.",
            tags=("gaokao", "science", "chinese"),
            rows=204,
            sha256="4fb8a4b881f652a908545447a062c7ba458be2ba793a45fc11b892053406704e",
            language="zh",
        ),
        ExamSet(
            "gaokao-chinese",
            "Gaokao Chinese",
            "Chinese language and literature questions from the Chinese college entrance exam.",
            tags=("gaokao", "reading", "chinese"),
            rows=246,
            sha256="1ddcf8fa15e07a25589796dc1c72a341c2d874af8de41970262d66693f95285f",
            language="zh",
            passages=True,
        ),
        ExamSet(
            "gaokao-english",
            "Gaokao English",
            "English questions from the Chinese college entrance exam.",
            tags=("gaokao", "reading"),
            rows=306,
            sha256="2de1b1e5d9718d908ffb46665e949bff83bef956ad8b7de16ea412e058162b01",
            passages=True,
        ),
        ExamSet(
            "gaokao-geography",
            "Gaokao Geography",
            "Geography questions from the Chinese college entrance exam.",
            tags=("gaokao", "chinese"),
            rows=199,
            sha256="1170cb39171d6dfc35bd52a52505e5a120cf400abc697f282d0739db6181713b",
            language="zh",
        ),
        ExamSet(
            "gaokao-history",
            "Gaokao History",
            "History questions from the Chinese college entrance exam.",
            tags=("gaokao", "chinese"),
            rows=235,
            sha256="27350771d399814fc69dd6d7e6ce115b7913ae208e04e385a7e6fcdf51a6b8b7",
            language="zh",
        ),
        ExamSet(
            "gaokao-mathqa",
            "Gaokao Mathematics",
            "Mathematics questions from the Chinese college entrance exam; some have several correct options.",
            tags=("gaokao", "math", "chinese"),
            rows=351,
            sha256="d246f12752d121289ef55cbf1bcf954243cefb65d110f71d09358e24065c808f",
            language="zh",
        ),
        ExamSet(
            "gaokao-physics",
            "Gaokao Physics",
            "Physics questions from the Chinese college entrance exam.",
            tags=("gaokao", "science", "chinese"),
            rows=174,
            sha256="9f8f91b35b5cc2d3ba67b9c6f31bc72c51caaaa58a4a46375690d3b8b127a82b",
            language="zh",
            unusable=1,
        ),
    )
}
"""The sets whose questions have options, by benchmark key."""

HEADQA = DatasetSource(  # a configuration for each language
    source="EleutherAI/headqa",
    split="test",
    revision="593a44375d0a7faa4f52e32c14be9c196b905e90",
    licence="MIT",  # the licence of the authors' repository; the Hub's card says "other"
    verified=5_484,  # from a copy of the authors' files; 5,350 of these rows have no image
)
HEADQA_LANGUAGES: Sequence[str] = ("en", "es")

_TEMPERATURE = "Temperature: the provider's default. No system message, 1 epoch."

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
        *(
            entry(
                each.key,
                "agieval",
                f"AGIEval {each.title}",
                each.description,
                category="exams",
                tags=("agieval", *each.tags),
                dataset=each.source,
                samples=each.rows - each.unusable,
                paper="https://arxiv.org/abs/2304.06364",
                homepage="https://github.com/ruixiangcui/AGIEval",
                languages=(each.language,),
            )
            for each in AGIEVAL.values()
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {
    "agieval": BenchmarkGroup(
        name="AGIEval",
        description="The sets of AGIEval whose questions have options.",
        category="exams",
        benchmarks=tuple(AGIEVAL),
    ),
    "agieval_en": BenchmarkGroup(
        name="AGIEval (English)",
        description="The sets of AGIEval in English.",
        category="exams",
        benchmarks=tuple(key for key, each in AGIEVAL.items() if each.language == "en"),
    ),
    "agieval_zh": BenchmarkGroup(
        name="AGIEval (Chinese)",
        description="The sets of AGIEval in Chinese.",
        category="exams",
        benchmarks=tuple(key for key, each in AGIEVAL.items() if each.language == "zh"),
    ),
}
