"""Metadata of benchmarks of knowledge, common sense and reading in English, and the pins of their rows."""

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry

_ARC_REVISION = "210d026faf9955653af8916fad021475a3f00453"

ARC_EASY = DatasetSource(
    source="allenai/ai2_arc",
    config="ARC-Easy",
    split="test",
    revision=_ARC_REVISION,
    licence="CC-BY-SA-4.0",
)
ARC_CHALLENGE = DatasetSource(
    source="allenai/ai2_arc",
    config="ARC-Challenge",
    split="test",
    revision=_ARC_REVISION,
    licence="CC-BY-SA-4.0",
)
OPENBOOKQA = DatasetSource(
    source="allenai/openbookqa",
    config="main",
    split="test",
    revision="388097ea7776314e93a529163e0fea805b8a6454",
    licence="Apache-2.0",  # the licence of the authors' repository; the Hub's card says "unknown"
)
BOOLQ = DatasetSource(
    source="google/boolq",
    split="validation",
    revision="35b264d03638db9f4ce671b711558bf7ff0f80d5",
    licence="CC-BY-SA-3.0",
)
COMMONSENSE_QA = DatasetSource(
    source="tau/commonsense_qa",
    split="validation",
    revision="94630fe30dad47192a8546eb75f094926d47e155",
    licence="MIT",
)
PIQA = DatasetSource(
    source="baber/piqa",  # the original, ybisk/piqa, is a loading script, which is never run
    split="validation",
    revision="142f6d7367fd9877f0fb3b5734ea6a545f54cdd1",
)
SOCIAL_IQA = DatasetSource(
    source="allenai/social_i_qa",
    split="validation",
    revision="537a2ec8ec565adc0b70b70752893e59e024df26",  # a commit of refs/convert/parquet; main is a loading script
    licence="CC-BY-4.0",
)
HELLASWAG = DatasetSource(
    source="Rowan/hellaswag",
    split="validation",
    revision="218ec52e09a7e7462a5400043bb9a69a41d06b76",
    licence="MIT",
)
WINOGRANDE = DatasetSource(
    source="allenai/winogrande",
    config="winogrande_xl",
    split="validation",
    revision="01e74176c63542e6b0bcb004dcdea22d94fb67b5",
    licence="CC-BY",  # the card's text names no version
)
SCIQ = DatasetSource(
    source="allenai/sciq",
    split="test",
    revision="2c94ad3e1aafab77146f384e23536f97a4849815",
    licence="CC-BY-NC-3.0",
)
RACE = DatasetSource(
    source="ehovy/race",
    config="high",
    split="test",
    revision="2fec9fd81f1dc971569a9b729c43f2f0e6436637",
    licence="non-commercial research",  # the authors' terms; no SPDX identifier fits
)
MEDMCQA = DatasetSource(
    source="openlifescienceai/medmcqa",
    split="validation",
    revision="91c6572c454088bf71b679ad90aa8dffcd0d5868",
    licence="Apache-2.0",
)
MEDQA = DatasetSource(
    source="GBaker/MedQA-USMLE-4-options",
    split="test",
    revision="0fb93dd23a7339b6dcd27e241cb9b5eca62d4d18",
    licence="CC-BY-4.0",
)
MEDXPERTQA = DatasetSource(
    source="TsinghuaC3I/MedXpertQA",
    config="Text",
    split="test",
    revision="7e7c465a68eb2b866926bfa59c8c9d17a8daba65",
    licence="MIT",
    verified=438,  # the first rows, from a copy with the columns of the authors' repository
)
SUPERGPQA = DatasetSource(
    source="m-a-p/SuperGPQA",
    split="train",
    revision="4430d4458112c7d4497fdcf94d7cc223313d6acf",
    licence="ODC-BY",
)
TRUTHFULQA_MC1 = DatasetSource(
    source="truthfulqa/truthful_qa",
    config="multiple_choice",
    split="validation",
    revision="741b8276f2d1982aa3d5b832d3ee81ed3b896490",
    licence="Apache-2.0",
    verified=817,
)
TRUTHFULQA_MC2 = TRUTHFULQA_MC1  # the same rows
_GPQA_REVISION = "633f5ee89ab8ad4522a9f850766b73f62147ffdd"  # gated: request access on the Hub

GPQA_MAIN = DatasetSource(
    source="Idavidrein/gpqa",
    config="gpqa_main",
    split="train",
    revision=_GPQA_REVISION,
    licence="CC-BY-4.0",
)
GPQA_EXTENDED = DatasetSource(
    source="Idavidrein/gpqa",
    config="gpqa_extended",
    split="train",
    revision=_GPQA_REVISION,
    licence="CC-BY-4.0",
)
GPQA_DIAMOND = DatasetSource(
    source="https://openaipublic.blob.core.windows.net/simple-evals/gpqa_diamond.csv",
    type="csv",
    sha256="41d1213cd7a4998605a26c2798500652572007161b3a92817ba46b35befcd305",
    licence="CC-BY-4.0",
)

_GPQA_PAPER = "https://arxiv.org/abs/2311.12022"
_GPQA_HOMEPAGE = "https://github.com/idavidrein/gpqa"
_GATED = "The dataset is gated: request access on the Hub (Idavidrein/gpqa), and set a token."
_TEMPERATURE = "Temperature: the provider's default. No system message, 1 epoch."
_ARC_PAPER = "https://arxiv.org/abs/1803.05457"
_ARC_HOMEPAGE = "https://allenai.org/data/arc"

BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        entry(
            "arc_easy",
            "arc",
            "ARC-Easy",
            "Grade-school science questions that simple methods can answer.",
            category="science",
            tags=("school",),
            dataset=ARC_EASY,
            samples=2376,
            paper=_ARC_PAPER,
            homepage=_ARC_HOMEPAGE,
        ),
        entry(
            "arc_challenge",
            "arc",
            "ARC-Challenge",
            "Grade-school science questions that retrieval and word co-occurrence cannot answer.",
            category="science",
            tags=("school", "reasoning"),
            dataset=ARC_CHALLENGE,
            samples=1172,
            paper=_ARC_PAPER,
            homepage=_ARC_HOMEPAGE,
        ),
        entry(
            "openbookqa",
            "openbookqa",
            "OpenBookQA",
            "Elementary science questions that require a fact and common knowledge.",
            category="science",
            tags=("school", "commonsense"),
            dataset=OPENBOOKQA,
            samples=500,
            paper="https://arxiv.org/abs/1809.02789",
            homepage="https://allenai.org/data/open-book-qa",
        ),
        entry(
            "boolq",
            "boolq",
            "BoolQ",
            "Yes/no questions about a passage.",
            category="reading",
            tags=("yes-no",),
            dataset=BOOLQ,
            samples=3270,
            paper="https://arxiv.org/abs/1905.10044",
            homepage="https://github.com/google-research-datasets/boolean-questions",
        ),
        entry(
            "commonsense_qa",
            "commonsense_qa",
            "CommonsenseQA",
            "Questions about everyday concepts with five related choices.",
            category="commonsense",
            tags=("everyday",),
            dataset=COMMONSENSE_QA,
            samples=1221,
            paper="https://arxiv.org/abs/1811.00937",
            homepage="https://www.tau-nlp.sites.tau.ac.il/commonsenseqa",
        ),
        entry(
            "piqa",
            "piqa",
            "PIQA",
            "Choose which of two solutions achieves an everyday physical goal.",
            category="commonsense",
            tags=("physical",),
            dataset=PIQA,
            samples=1838,
            paper="https://arxiv.org/abs/1911.11641",
            homepage="https://yonatanbisk.com/piqa",
        ),
        entry(
            "social_iqa",
            "social_iqa",
            "Social IQa",
            "Questions about what people feel, want and do in everyday situations.",
            category="commonsense",
            tags=("social",),
            dataset=SOCIAL_IQA,
            samples=1954,
            paper="https://arxiv.org/abs/1904.09728",
            homepage="https://leaderboard.allenai.org/socialiqa",
        ),
        entry(
            "hellaswag",
            "hellaswag",
            "HellaSwag",
            "Choose the most plausible ending of a text; the wrong endings are written by a machine.",
            category="commonsense",
            tags=("completion",),
            dataset=HELLASWAG,
            samples=10042,
            paper="https://arxiv.org/abs/1905.07830",
            homepage="https://rowanzellers.com/hellaswag",
        ),
        entry(
            "winogrande",
            "winogrande",
            "WinoGrande",
            "Choose which of two nouns fills the blank of a sentence.",
            category="commonsense",
            tags=("coreference",),
            dataset=WINOGRANDE,
            samples=1267,
            paper="https://arxiv.org/abs/1907.10641",
            homepage="https://winogrande.allenai.org",
        ),
        entry(
            "sciq",
            "sciq",
            "SciQ",
            "Crowdsourced science exam questions, without their supporting passage.",
            category="science",
            tags=("school",),
            dataset=SCIQ,
            samples=1000,
            paper="https://arxiv.org/abs/1707.06209",
            homepage="https://allenai.org/data/sciq",
        ),
        entry(
            "race",
            "race",
            "RACE",
            "Questions about texts, from English exams of Chinese high schools (or middle schools).",
            category="reading",
            tags=("school", "comprehension"),
            dataset=RACE,
            samples=3498,
            paper="https://arxiv.org/abs/1704.04683",
            homepage="https://www.cs.cmu.edu/~glai1/data/race/",
        ),
        entry(
            "medmcqa",
            "medmcqa",
            "MedMCQA",
            "Questions from Indian medical entrance exams, with accuracy by subject.",
            category="medicine",
            tags=("exam",),
            dataset=MEDMCQA,
            samples=4183,
            paper="https://arxiv.org/abs/2203.14371",
            homepage="https://medmcqa.github.io",
        ),
        entry(
            "medqa",
            "medqa",
            "MedQA",
            "Clinical cases in the style of the United States medical licensing exam, with four options.",
            category="medicine",
            tags=("exam", "usmle"),
            dataset=MEDQA,
            samples=1273,
            paper="https://arxiv.org/abs/2009.13081",
            homepage="https://github.com/jind11/MedQA",
        ),
        entry(
            "truthfulqa_mc1",
            "truthfulqa",
            "TruthfulQA MC1",
            "Questions that people often answer falsely, with one true choice.",
            category="truthfulness",
            tags=("misconceptions",),
            dataset=TRUTHFULQA_MC1,
            samples=817,
            paper="https://arxiv.org/abs/2109.07958",
            homepage="https://github.com/sylinrl/TruthfulQA",
        ),
        entry(
            "truthfulqa_mc2",
            "truthfulqa_mc2",
            "TruthfulQA MC2",
            "Questions that people often answer falsely: the total probability of the true choices.",
            category="truthfulness",
            tags=("misconceptions", "log-probability"),
            dataset=TRUTHFULQA_MC2,
            samples=817,
            paper="https://arxiv.org/abs/2109.07958",
            homepage="https://github.com/sylinrl/TruthfulQA",
            notes=("Requires a model that returns log-probabilities.",),
            lettered=False,
            primary_metric="prob_mass/mean",
        ),
        entry(
            "gpqa_main",
            "gpqa",
            "GPQA",
            "Graduate-level biology, chemistry and physics: the main set, with accuracy by domain.",
            category="science",
            tags=("graduate", "reasoning"),
            dataset=GPQA_MAIN,
            samples=448,
            paper=_GPQA_PAPER,
            homepage=_GPQA_HOMEPAGE,
            notes=(_TEMPERATURE, _GATED),
        ),
        entry(
            "gpqa_extended",
            "gpqa",
            "GPQA Extended",
            "Graduate-level biology, chemistry and physics: all questions, with accuracy by domain.",
            category="science",
            tags=("graduate", "reasoning"),
            dataset=GPQA_EXTENDED,
            samples=546,
            paper=_GPQA_PAPER,
            homepage=_GPQA_HOMEPAGE,
            notes=(_TEMPERATURE, _GATED),
        ),
        entry(
            "supergpqa",
            "supergpqa",
            "SuperGPQA",
            "Graduate-level questions in 285 subfields with up to ten options, by discipline and difficulty.",
            category="knowledge",
            tags=("graduate", "reasoning"),
            dataset=SUPERGPQA,
            samples=26_529,
            paper="https://arxiv.org/abs/2502.14739",
            homepage="https://supergpqa.github.io",
            notes=("Subsets: -T discipline=, field=, subfield= or difficulty=.", _TEMPERATURE),
        ),
        entry(
            "medxpertqa",
            "medxpertqa",
            "MedXpertQA",
            "Questions from medical board exams with ten options, which require expert knowledge and reasoning.",
            category="medicine",
            tags=("exam", "expert", "reasoning"),
            dataset=MEDXPERTQA,
            samples=2_450,
            paper="https://arxiv.org/abs/2501.18362",
            homepage="https://github.com/TsinghuaC3I/MedXpertQA",
            notes=("Questions with images are not included.", _TEMPERATURE),
        ),
        entry(
            "gpqa_diamond",
            "gpqa",
            "GPQA Diamond",
            "Graduate-level biology, chemistry and physics, with accuracy by domain.",
            category="science",
            tags=("graduate", "reasoning"),
            dataset=GPQA_DIAMOND,
            samples=198,
            paper=_GPQA_PAPER,
            homepage=_GPQA_HOMEPAGE,
            notes=(
                "Temperature: the provider's default. No system message, 1 epoch.",
                "groq/openbench: temperature 0.5, a system message, 10 epochs; -T settings=upstream.",
            ),
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {
    "gpqa": BenchmarkGroup(
        name="GPQA",
        description="The three sets of GPQA; each contains the next.",
        category="science",
        benchmarks=("gpqa_extended", "gpqa_main", "gpqa_diamond"),
    ),
    "arc": BenchmarkGroup(
        name="ARC",
        description="The easy set and the challenge set of the AI2 Reasoning Challenge.",
        category="science",
        benchmarks=("arc_easy", "arc_challenge"),
    ),
}
