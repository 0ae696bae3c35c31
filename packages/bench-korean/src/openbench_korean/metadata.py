"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource

AS_WRITTEN: Mapping[str, Any] = {"keep_default_na": False}
"""Options for CSV files of the Hub: by default an option `None` or `NULL` is missing, and a `7` beside it is 7.0."""

KMMLU = DatasetSource(  # a configuration for each subject
    source="HAERAE-HUB/KMMLU",
    split="test",
    revision="d61b3f19e552c576bf5960dd24289763edc36a88",
    licence="CC-BY-ND-4.0",
)
KMMLU_CATEGORIES: Mapping[str, Sequence[str]] = {
    "STEM": (
        "Biology",
        "Chemical-Engineering",
        "Chemistry",
        "Civil-Engineering",
        "Computer-Science",
        "Ecology",
        "Electrical-Engineering",
        "Information-Technology",
        "Materials-Engineering",
        "Math",
        "Mechanical-Engineering",
    ),
    "Applied Science": (
        "Aviation-Engineering-and-Maintenance",
        "Electronics-Engineering",
        "Energy-Management",
        "Environmental-Science",
        "Gas-Technology-and-Engineering",
        "Geomatics",
        "Industrial-Engineer",
        "Machine-Design-and-Manufacturing",
        "Maritime-Engineering",
        "Nondestructive-Testing",
        "Railway-and-Automotive-Engineering",
        "Telecommunications-and-Wireless-Technology",
    ),
    "HUMSS": (
        "Accounting",
        "Criminal-Law",
        "Economics",
        "Education",
        "Korean-History",
        "Law",
        "Management",
        "Political-Science-and-Sociology",
        "Psychology",
        "Social-Welfare",
        "Taxation",
    ),
    "Other": (
        "Agricultural-Sciences",
        "Construction",
        "Fashion",
        "Food-Processing",
        "Health",
        "Interior-Architecture-and-Design",
        "Marketing",
        "Patent",
        "Public-Safety",
        "Real-Estate",
        "Refrigerating-Machinery",
    ),
}
"""The subjects, each a configuration of the dataset, by category of the paper."""

HAERAE = DatasetSource(  # a configuration for each category
    source="HAERAE-HUB/HAE_RAE_BENCH_1.1",
    split="test",
    revision="b480e81024913f27783d2b05d2f0b10089db19ad",
    licence="CC-BY-NC-ND-4.0",
)
HAERAE_CATEGORIES: Sequence[str] = (
    "general_knowledge",
    "history",
    "loan_words",
    "rare_words",
    "reading_comprehension",
    "standard_nomenclature",
)
"""The categories of the paper; the dataset has others, two of which require free text."""
READING = "reading_comprehension"

KMMLU_PRO = DatasetSource(
    source="LGAI-EXAONE/KMMLU-Pro",
    split="test",
    revision="e1567939724a369e428e66f15472562c55a5d181",
    licence="CC-BY-NC-ND-4.0",
)
KORMEDMCQA = DatasetSource(  # a configuration for each profession
    source="sean0042/KorMedMCQA",
    split="test",
    licence="CC-BY-NC-2.0",
)
KORMEDMCQA_PROFESSIONS: Sequence[str] = ("doctor", "nurse", "pharm", "dentist")
KOBEST = DatasetSource(  # a configuration for each task
    source="skt/kobest_v1",
    split="test",
    revision="a5ea15e3ac77ed694b79f6204eb31889a2ba989f",
    licence="CC-BY-SA-4.0",
)
KOBALT = DatasetSource(
    source="snunlp/KoBALT-700",
    config="kobalt_v1",
    split="raw",
    revision="30c30a431066508e6bef77cfa6d6059b85b12f0d",
    licence="CC-BY-NC-4.0",
)
HRM8K = DatasetSource(  # a configuration for each subset
    source="HAERAE-HUB/HRM8K",
    split="test",
    revision="c360cabf8d733a82455565358b3dc965aab9ba8d",
    licence="MIT",
)
HRM8K_SUBSETS: Sequence[str] = ("GSM8K", "KSM", "MATH", "MMMLU", "OMNI_MATH")
KO_AIME_2025 = DatasetSource(source="allganize/AIME2025-ko", split="train")
KO_HELLASWAG = DatasetSource(source="davidkim205/ko_hellaswag", split="train")

_KOBBQ = "0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7"
KOBBQ = DatasetSource(
    source=f"https://raw.githubusercontent.com/naver-ai/KoBBQ/{_KOBBQ}/data/KoBBQ_test_samples.tsv",
    type="csv",
    split="test",
    revision=_KOBBQ,
    sha256="6eacb1c0ff995c74b26183d368c500193454b7bf96a2a0f9462641e57972aab7",
    licence="MIT",
    verified=2280,
)
KOBBQ_PROMPTS = DatasetSource(  # five prompts, with a column for each part
    source=f"https://raw.githubusercontent.com/naver-ai/KoBBQ/{_KOBBQ}/evaluation/0_evaluation_prompts.tsv",
    type="text",
    revision=_KOBBQ,
    sha256="1757448babb55bfc01dce7233f64c2188ad06843646f75b6c590bff633d88bca",
    licence="MIT",
)
_KORQUAD = "61d7d6682948375dd8f06ef27e788fd19982af38"
KORQUAD = DatasetSource(
    source=(f"https://raw.githubusercontent.com/korquad/korquad.github.io/{_KORQUAD}/dataset/KorQuAD_v1.0_dev.json"),
    type="json",
    split="validation",
    revision=_KORQUAD,
    sha256="25ffeb51e6c51ec02c071b60a10188e10005c144110f0d876b26079d80a35bdf",
    licence="CC-BY-ND-2.0",
    verified=5774,
)
KORQUAD_FILE = replace(KORQUAD, type="text", verified=None)  # one JSON object with nested questions
_HATE_SPEECH = "f8d05dce2b22007bb149e5139c0060c68ad8f94b"
HATE_SPEECH = DatasetSource(
    source=f"https://raw.githubusercontent.com/kocohub/korean-hate-speech/{_HATE_SPEECH}/labeled/dev.tsv",
    type="csv",
    split="dev",
    revision=_HATE_SPEECH,
    sha256="232b615d6e359a9d31dfb8370f32e1733dc5bb3f9c5430d34d7fcc7ba4b7e8ef",
    licence="CC-BY-SA-4.0",
    verified=471,
)
KO_TRUTHFUL_QA = DatasetSource(source="ko_truthful_qa.jsonl", type="json", split="test")
KO_MORAL = DatasetSource(source="ko_moral.json", type="json", split="validation")

_TEMPERATURE = "The model's default temperature, no system message, 1 epoch."
_UNPINNED = "The rows are not pinned, because no commit of theirs is known; the log records their digest."


def _entry(
    key: str,
    module: str,
    name: str,
    description: str,
    *,
    category: str,
    tags: Sequence[str],
    dataset: DatasetSource,
    samples: int | None,
    homepage: str,
    paper: str | None = None,
    primary_metric: str = "accuracy",
    subtask: bool = False,
    notes: Sequence[str] = (_TEMPERATURE,),
) -> tuple[str, BenchmarkMetadata]:
    """Return the key of a benchmark, which is also the name of its function, and its metadata."""
    metadata = BenchmarkMetadata(
        name=name,
        description=description,
        category=category,
        tags=("korean", *tags),
        module_path=f"openbench_korean.{module}",
        function_name=key,
        builtin=True,
        subtask=subtask,
        dataset=dataset,
        homepage=homepage,
        paper=paper,
        samples=samples,
        primary_metric=primary_metric,
        languages=("ko",),
        notes=notes,
    )
    return key, metadata


def _haerae(key: str, name: str, description: str, samples: int) -> tuple[str, BenchmarkMetadata]:
    return _entry(
        key,
        "haerae",
        name,
        description,
        category="knowledge",
        tags=("multiple-choice", "culture"),
        dataset=HAERAE,
        samples=samples,
        paper="https://arxiv.org/abs/2309.02706",
        homepage="https://github.com/HAE-RAE/HAE-RAE-BENCH",
    )


def _kobest(config: str, name: str, description: str, samples: int) -> tuple[str, BenchmarkMetadata]:
    return _entry(
        f"kobest_{config}",
        "kobest",
        f"KoBEST {name}",
        description,
        category="language",
        tags=("multiple-choice", "kobest"),
        dataset=replace(KOBEST, config=config),
        samples=samples,
        paper="https://arxiv.org/abs/2204.04541",
        homepage="https://huggingface.co/datasets/skt/kobest_v1",
        primary_metric="macro_f1",
    )


def _kobalt(key: str, name: str, description: str, samples: int) -> tuple[str, BenchmarkMetadata]:
    return _entry(
        key,
        "kobalt",
        name,
        description,
        category="language",
        tags=("multiple-choice", "linguistics"),
        dataset=KOBALT,
        samples=samples,
        paper="https://arxiv.org/abs/2505.16125",
        homepage="https://huggingface.co/datasets/snunlp/KoBALT-700",
    )


BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        _entry(
            "kmmlu",
            "exams",
            "KMMLU",
            "Questions from Korean exams in 45 subjects",
            category="knowledge",
            tags=("multiple-choice", "exam"),
            dataset=KMMLU,
            samples=35_030,
            paper="https://arxiv.org/abs/2402.11548",
            homepage="https://huggingface.co/datasets/HAERAE-HUB/KMMLU",
        ),
        _entry(
            "kmmlu_pro",
            "exams",
            "KMMLU-Pro",
            "Questions from the exams for 14 Korean professional licences",
            category="knowledge",
            tags=("multiple-choice", "exam", "expert"),
            dataset=KMMLU_PRO,
            samples=2_822,
            paper="https://arxiv.org/abs/2507.08924",
            homepage="https://huggingface.co/datasets/LGAI-EXAONE/KMMLU-Pro",
            notes=("The dataset is gated: accept its terms on the Hub, and set HF_TOKEN.", _TEMPERATURE),
        ),
        _entry(
            "kormedmcqa",
            "kormedmcqa",
            "KorMedMCQA",
            "Questions from Korean licensing exams for doctors, nurses, pharmacists and dentists",
            category="medicine",
            tags=("multiple-choice", "exam", "medicine"),
            dataset=KORMEDMCQA,
            samples=3_009,
            paper="https://arxiv.org/abs/2403.01469",
            homepage="https://huggingface.co/datasets/sean0042/KorMedMCQA",
            notes=(_UNPINNED, _TEMPERATURE),
        ),
        _haerae(
            "haerae_bench_v1", "HAE-RAE Bench", "Vocabulary, history, general knowledge and reading in Korean", 1_538
        ),
        _haerae("haerae_bench_v1_rc", "HAE-RAE Bench (reading)", "Reading comprehension in Korean", 447),
        _haerae(
            "haerae_bench_v1_wo_rc",
            "HAE-RAE Bench (without reading)",
            "Vocabulary, history and general knowledge in Korean",
            1_091,
        ),
        _kobest("boolq", "BoolQ", "Yes-no questions about paragraphs", 1_404),
        _kobest("copa", "COPA", "The more plausible cause or effect of an event", 1_000),
        _kobest("hellaswag", "HellaSwag", "The sentence that continues a text", 500),
        _kobest("sentineg", "SentiNeg", "The sentiment of reviews, many of them with negation", 397),
        _kobest("wic", "WiC", "Whether a word has the same meaning in two sentences", 1_260),
        _kobalt("ko_balt_700", "KoBALT-700", "Questions on Korean linguistics with ten options", 700),
        _kobalt("ko_balt_700_syntax", "KoBALT-700 (syntax)", "The questions of KoBALT-700 about syntax", 300),
        _kobalt("ko_balt_700_semantic", "KoBALT-700 (semantics)", "The questions of KoBALT-700 about semantics", 215),
        _entry(
            "hrm8k",
            "mathematics",
            "HRM8K",
            "Problems in Korean, from Korean contests and translated from GSM8K, MATH, Omni-MATH and MMMLU",
            category="mathematics",
            tags=("math", "numeric"),
            dataset=HRM8K,
            samples=8_011,
            paper="https://arxiv.org/abs/2501.02448",
            homepage="https://huggingface.co/datasets/HAERAE-HUB/HRM8K",
            notes=("macro is the mean over the five subsets.", _TEMPERATURE),
        ),
        _entry(
            "ko_aime2025",
            "aime",
            "AIME 2025 in Korean",
            "The 30 problems of both exams, translated",
            category="mathematics",
            tags=("math", "competition"),
            dataset=KO_AIME_2025,
            samples=30,
            homepage="https://huggingface.co/datasets/allganize/AIME2025-ko",
            notes=("16 attempts at each problem by default.", _UNPINNED),
        ),
        _entry(
            "kobbq",
            "kobbq",
            "KoBBQ",
            "Questions about people of different groups: accuracy and bias, with and without the needed context",
            category="bias",
            tags=("bias", "multiple-choice"),
            dataset=KOBBQ,
            samples=6_840,
            paper="https://arxiv.org/abs/2307.16778",
            homepage="https://github.com/naver-ai/KoBBQ",
            notes=(
                "Each of the 2,280 questions is asked in three orders of its options; -T orders=1 uses one order.",
                "The prompt is ours; -T prompt=official uses the first of the authors' five prompts.",
                _TEMPERATURE,
            ),
        ),
        _entry(
            "korean_hate_speech",
            "hate_speech",
            "Korean hate speech",
            "Comments on entertainment news: hateful, offensive or neither",
            category="safety",
            tags=("classification", "hate-speech", "multiple-choice"),
            dataset=HATE_SPEECH,
            samples=471,
            paper="https://aclanthology.org/2020.socialnlp-1.4",
            homepage="https://github.com/kocohub/korean-hate-speech",
            primary_metric="macro_f1",
        ),
        _entry(
            "squad_kor_v1",
            "squad_kor",
            "KorQuAD 1.0",
            "Questions about paragraphs of Korean Wikipedia, answered with a span of the paragraph",
            category="reading",
            tags=("question-answering", "extraction"),
            dataset=KORQUAD,
            samples=5_774,
            paper="https://arxiv.org/abs/1909.07005",
            homepage="https://korquad.github.io",
            primary_metric="f1",
            notes=("F1 counts characters, as the official script does.", _TEMPERATURE),
        ),
        _entry(
            "ko_hellaswag",
            "continuation",
            "HellaSwag in Korean",
            "The ending that continues a text, translated",
            category="commonsense",
            tags=("multiple-choice", "translated"),
            dataset=KO_HELLASWAG,
            samples=None,
            paper="https://arxiv.org/abs/1905.07830",
            homepage="https://huggingface.co/datasets/davidkim205/ko_hellaswag",
            notes=(_UNPINNED, _TEMPERATURE),
        ),
        _entry(
            "ko_truthful_qa",
            "files",
            "TruthfulQA in Korean",
            "Multiple-choice questions that people often answer with misconceptions, translated",
            category="knowledge",
            tags=("multiple-choice", "truthfulness", "translated"),
            dataset=KO_TRUTHFUL_QA,
            samples=None,
            paper="https://arxiv.org/abs/2109.07958",
            homepage="https://github.com/hw-oh/horangi",
            notes=("The rows are published only in Weave; -T rows=FILE takes an exported file.", _TEMPERATURE),
        ),
        _entry(
            "ko_moral",
            "files",
            "KoMoral",
            "Whether sentences of Korean conversations are immoral",
            category="safety",
            tags=("multiple-choice", "ethics"),
            dataset=KO_MORAL,
            samples=None,
            homepage="https://aihub.or.kr/aihubdata/data/view.do?dataSetSn=558",
            notes=("AI Hub provides the rows on application; -T rows=FILE takes the file.", _TEMPERATURE),
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {
    "kobest": BenchmarkGroup(
        name="KoBEST",
        description="Five tasks on Korean language understanding",
        category="language",
        benchmarks=[key for key in BENCHMARKS if key.startswith("kobest_")],
    ),
}
