"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from collections.abc import Mapping

from openbench.metadata import BenchmarkMetadata, DatasetSource

GSM8K = DatasetSource(
    source="openai/gsm8k",
    config="main",
    split="test",
    revision="740312add88f781978c0658806c59bc2815b9866",
    licence="MIT",
    verified=1319,
)
GSM_PLUS = DatasetSource(
    source="qintongli/GSM-Plus",
    split="test",
    revision="3b708db57b96a16e8e3368ed2956990c0809440e",
    licence="CC-BY-SA-4.0",
    verified=2400,  # the rows of the split testmini
)
MATH = DatasetSource(  # a configuration for each subject
    source="EleutherAI/hendrycks_math",
    split="test",
    revision="21a5633873b6a120296cce3e2df9d5550074f4a3",
    licence="MIT",
    verified=5000,
)
MATH_500 = DatasetSource(
    source="HuggingFaceH4/MATH-500",
    split="test",
    revision="6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be",
    licence="MIT",  # the licence of MATH, from which these problems are drawn
    verified=500,
)
AIME_2024 = DatasetSource(
    source="HuggingFaceH4/aime_2024",
    split="train",
    revision="2fe88a2f1091d5048c0f36abc874fb997b3dd99a",
    licence="Apache-2.0",
    verified=30,
)
AIME_2025 = DatasetSource(
    source="math-ai/aime25",
    split="test",
    revision="563bb8404243c5f09de6ec262f2db674fe5bce9b",
    licence="Apache-2.0",
)
AIME_2026 = DatasetSource(
    source="math-ai/aime26",
    split="test",
    revision="79037aebdb6580008fb960d17cb21fd3099083e3",
    licence="Apache-2.0",
)
HMMT_FEB_2025 = DatasetSource(
    source="MathArena/hmmt_feb_2025",
    split="train",
    revision="6fdc4277120810ff75aa22d2d5489b91f7a262a1",
    licence="CC-BY-NC-SA-4.0",
)
BRUMO_2025 = DatasetSource(
    source="MathArena/brumo_2025",
    split="train",
    revision="6de9bc0987f5710c6376ee980e1483dbeb55cfda",
    licence="CC-BY-NC-SA-4.0",
)

_MGSM_REVISION = "452a21ad3dae5668c06ceeac21ff073e1e40f9be"
MGSM = DatasetSource(  # a file for each language
    source=f"https://raw.githubusercontent.com/google-research/url-nlp/{_MGSM_REVISION}/mgsm",
    type="csv",
    revision=_MGSM_REVISION,
    licence="CC-BY-4.0",
    verified=2750,
)
MGSM_DIGESTS: Mapping[str, str] = {
    "bn": "6b00bc7cc635547e866989284afa924d789b5affa2eb8de623c385dd943ad977",
    "de": "4dfea30fede44b813e2e496f5f0534049e83c7cc8aed6e00600b30ec62053626",
    "en": "50021d0f28cc957edcb44e7806425b1c7fbd648ddcb9e0a8ec689d10e57d40fa",
    "es": "5bd27ebdf00140cec845c5298dc17715f5cd57d8edda6df1976db40bf3f0750a",
    "fr": "36207c1c03fd7cd3ea491441eb755408199f94e4a647851df531bbaedc99d606",
    "ja": "59a2b50debe77981fd784cb3b2bef1505e3abf2a37116dc9d7a366ab029b4637",
    "ru": "6bd30fd2e80c5bac23f566fb4ae0e6a55a19578401fbf9a01fb21beb3645fef8",
    "sw": "2bac828d77229e65d7c7197b1ad4a2cb5b1fe99b163f2cbdd66501de6a2115c4",
    "te": "dd6b1452c244bb2e4ba254c01ea84137f80c1cefc57d69c23b0ed88b9c0f36b7",
    "th": "f3932dc5ad8e9d0ea82b017adc1e1461dd647af861e7166d6741986602a0cfd6",
    "zh": "b2fa63151022370a0de1f4211c8c284eae74b0f5a3b003b1d5982c0d4a73f661",
}
"""The SHA-256 digests of the files, by language."""


def mgsm_file(language: str) -> DatasetSource:
    """Return the pinned file of a language."""
    return DatasetSource(
        source=f"{MGSM.source}/mgsm_{language}.tsv",
        type="csv",
        revision=MGSM.revision,
        sha256=MGSM_DIGESTS[language],
        licence=MGSM.licence,
    )


_TEMPERATURE = "Temperature: the model's default."
_NUMBER = "The answer is the announced number, else the boxed one, else the last number."
_ATTEMPTS = "Each question runs for 16 epochs. Accuracy is pass@1; its standard error uses the mean per question."


def _benchmark(
    key: str,
    module: str,
    name: str,
    description: str,
    *,
    dataset: DatasetSource,
    samples: int,
    homepage: str,
    paper: str | None = None,
    tags: tuple[str, ...] = (),
    languages: tuple[str, ...] = ("en",),
    notes: tuple[str, ...] = (),
) -> tuple[str, BenchmarkMetadata]:
    metadata = BenchmarkMetadata(
        name=name,
        description=description,
        category="math",
        tags=("mathematics", *tags),
        module_path=f"openbench_math.{module}",
        function_name=key,
        builtin=True,
        dataset=dataset,
        homepage=homepage,
        paper=paper,
        samples=samples,
        languages=languages,
        notes=(*notes, _TEMPERATURE),
    )
    return key, metadata


def _contest(key: str, name: str, description: str, *, dataset: DatasetSource) -> tuple[str, BenchmarkMetadata]:
    return _benchmark(
        key,
        "contests",
        name,
        description,
        dataset=dataset,
        samples=30,
        homepage=f"https://huggingface.co/datasets/{dataset.source}",
        tags=("competition", "pass@k"),
        notes=(_ATTEMPTS,),
    )


BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        _benchmark(
            "gsm8k",
            "gsm",
            "GSM8K",
            "Grade-school word problems that take two to eight steps of arithmetic.",
            dataset=GSM8K,
            samples=1319,
            homepage="https://github.com/openai/grade-school-math",
            paper="https://arxiv.org/abs/2110.14168",
            tags=("word-problems",),
            notes=(_NUMBER,),
        ),
        _benchmark(
            "gsm_plus",
            "gsm",
            "GSM-Plus",
            "The questions of GSM8K, perturbed in seven ways.",
            dataset=GSM_PLUS,
            samples=9233,
            homepage="https://github.com/qtli/GSM-Plus",
            paper="https://arxiv.org/abs/2402.19255",
            tags=("word-problems", "robustness"),
            notes=(_NUMBER, "Questions that cannot be answered (critical thinking) are left out."),
        ),
        _benchmark(
            "mgsm",
            "mgsm",
            "MGSM",
            "250 questions of GSM8K in eleven languages, asked and answered in each.",
            dataset=MGSM,
            samples=2750,
            homepage="https://github.com/google-research/url-nlp/tree/main/mgsm",
            paper="https://arxiv.org/abs/2210.03057",
            tags=("word-problems", "multilingual"),
            languages=tuple(MGSM_DIGESTS),
            notes=(_NUMBER, "The answer may be announced in any language."),
        ),
        _benchmark(
            "math",
            "contests",
            "MATH",
            "Problems from mathematics competitions, in seven subjects and five levels of difficulty.",
            dataset=MATH,
            samples=5000,
            homepage="https://github.com/hendrycks/math",
            paper="https://arxiv.org/abs/2103.03874",
            tags=("competition",),
        ),
        _benchmark(
            "math_500",
            "contests",
            "MATH-500",
            "A representative sample of 500 problems from the test set of MATH.",
            dataset=MATH_500,
            samples=500,
            homepage="https://github.com/openai/prm800k",
            paper="https://arxiv.org/abs/2305.20050",
            tags=("competition",),
        ),
        _contest("aime_2024", "AIME 2024", "Both AIME exams of 2024, with integer answers.", dataset=AIME_2024),
        _contest("aime_2025", "AIME 2025", "Both AIME exams of 2025, with integer answers.", dataset=AIME_2025),
        _contest("aime_2026", "AIME 2026", "Both AIME exams of 2026, with integer answers.", dataset=AIME_2026),
        _contest(
            "hmmt_feb_2025",
            "HMMT February 2025",
            "Problems from the Harvard-MIT Mathematics Tournament.",
            dataset=HMMT_FEB_2025,
        ),
        _contest(
            "brumo_2025",
            "BRUMO 2025",
            "Problems from the Brown University Math Olympiad.",
            dataset=BRUMO_2025,
        ),
    ]
)
