"""What `bench list` and `bench describe` read: every benchmark, and the one place that pins its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from openbench.metadata import BenchmarkMetadata, DatasetSource

AS_WRITTEN: Mapping[str, Any] = {"keep_default_na": False}
"""How CSV files of the Hub are read: an option `None` or `NULL` would else be missing, and a `7` beside it 7.0."""

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
"""The subjects, which are configurations, by the categories of the paper."""

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
"""The categories of the paper; the dataset has others, of which two ask for texts."""

_TEMPERATURE = "Without a temperature or a system message, 1 epoch."


def _entry(
    key: str,
    module: str,
    name: str,
    description: str,
    *,
    category: str,
    tags: Sequence[str],
    dataset: DatasetSource,
    samples: int,
    homepage: str,
    paper: str | None = None,
    primary_metric: str = "accuracy",
    notes: Sequence[str] = (),
) -> tuple[str, BenchmarkMetadata]:
    """Return the key of a benchmark, which is also its function's name, with its metadata."""
    metadata = BenchmarkMetadata(
        name=name,
        description=description,
        category=category,
        tags=("korean", *tags),
        module_path=f"openbench_korean.{module}",
        function_name=key,
        builtin=True,
        dataset=dataset,
        homepage=homepage,
        paper=paper,
        samples=samples,
        primary_metric=primary_metric,
        languages=("ko",),
        notes=(*notes, _TEMPERATURE),
    )
    return key, metadata


BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        _entry(
            "kmmlu",
            "exams",
            "KMMLU",
            "Questions of Korean exams in 45 subjects",
            category="knowledge",
            tags=("multiple-choice", "exam"),
            dataset=KMMLU,
            samples=35_030,
            paper="https://arxiv.org/abs/2402.11548",
            homepage="https://huggingface.co/datasets/HAERAE-HUB/KMMLU",
        ),
        _entry(
            "haerae_bench_v1",
            "haerae",
            "HAE-RAE Bench",
            "Vocabulary, history, general knowledge and reading in Korean",
            category="knowledge",
            tags=("multiple-choice", "culture"),
            dataset=HAERAE,
            samples=1_538,
            paper="https://arxiv.org/abs/2309.02706",
            homepage="https://github.com/HAE-RAE/HAE-RAE-BENCH",
        ),
    ]
)
