"""Metadata of benchmarks in languages other than English, and the pins of their rows."""

from collections.abc import Mapping, Sequence

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry

GLOBAL_MMLU = DatasetSource(  # a configuration for each language
    source="CohereLabs/Global-MMLU",
    split="test",
    revision="0e619dbeb34206cd48705a1a0ea7fb21cae09993",
    licence="Apache-2.0",
)
GLOBAL_MMLU_LANGUAGES: Sequence[str] = (
    *("am", "ar", "bn", "cs", "de", "el", "en", "es", "fa", "fil", "fr", "ha", "he", "hi", "id", "ig", "it", "ja"),
    *("ko", "ky", "lt", "mg", "ms", "ne", "nl", "ny", "pl", "pt", "ro", "ru", "si", "sn", "so", "sr", "sv", "sw"),
    *("te", "tr", "uk", "vi", "yo", "zh"),
)
MMMLU = DatasetSource(  # a configuration for each locale
    source="openai/MMMLU",
    split="test",
    revision="325a01dc3e173cac1578df94120499aaca2e2504",
    licence="MIT",
)
MMMLU_LOCALES: Mapping[str, str] = {
    "ar": "AR_XY",
    "bn": "BN_BD",
    "de": "DE_DE",
    "es": "ES_LA",
    "fr": "FR_FR",
    "hi": "HI_IN",
    "id": "ID_ID",
    "it": "IT_IT",
    "ja": "JA_JP",
    "ko": "KO_KR",
    "pt": "PT_BR",
    "sw": "SW_KE",
    "yo": "YO_NG",
    "zh": "ZH_CN",
}
"""The configuration of each language."""

ARABIC_EXAMS = DatasetSource(
    source="MBZUAI/ArabicMMLU",
    config="All",
    split="test",
    revision="7aa530e2893ac420352b3f5c1a1310c010e9758b",
    licence="CC-BY-NC-4.0",
    verified=2_487,  # from a copy of a part of the authors' file, with the same columns
)

_NATIVE = "Prompts are in the language of the question; the answer may be announced in any language."
_TEMPERATURE = "Temperature: the provider's default. No system message, 1 epoch."

BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        entry(
            "global_mmlu",
            "translated_mmlu",
            "Global-MMLU",
            "The questions of MMLU in 42 languages, with accuracy by cultural sensitivity.",
            category="multilingual",
            tags=("knowledge", "multilingual", "culture"),
            dataset=GLOBAL_MMLU,
            samples=14_042 * len(GLOBAL_MMLU_LANGUAGES),
            paper="https://arxiv.org/abs/2412.03304",
            homepage="https://huggingface.co/datasets/CohereLabs/Global-MMLU",
            languages=tuple(GLOBAL_MMLU_LANGUAGES),
            notes=(_NATIVE, "One language, 14,042 questions: -T language=sw.", _TEMPERATURE),
        ),
        entry(
            "mmmlu",
            "translated_mmlu",
            "MMMLU",
            "The questions of MMLU in 14 languages, translated by professionals.",
            category="multilingual",
            tags=("knowledge", "multilingual"),
            dataset=MMMLU,
            samples=14_042 * len(MMMLU_LOCALES),
            paper="https://arxiv.org/abs/2009.03300",
            homepage="https://huggingface.co/datasets/openai/MMMLU",
            languages=tuple(MMMLU_LOCALES),
            notes=(_NATIVE, "One language, 14,042 questions: -T language=sw.", _TEMPERATURE),
        ),
        entry(
            "arabic_exams",
            "arabic_exams",
            "ArabicMMLU",
            "School and professional exams of Arab countries, in forty subjects.",
            category="multilingual",
            tags=("knowledge", "arabic", "exam"),
            dataset=ARABIC_EXAMS,
            samples=14_455,
            paper="https://arxiv.org/abs/2402.12840",
            homepage="https://github.com/mbzuai-nlp/ArabicMMLU",
            languages=("ar",),
            notes=(_NATIVE, "Subsets: -T subject=, level= or group=.", _TEMPERATURE),
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {}
