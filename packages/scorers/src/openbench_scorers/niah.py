"""Needle in a haystack: the hidden numbers, or a word for none."""

import re
from collections.abc import Sequence

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from openbench.scorers.matching import fold, without_target
from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.options import one_of
from openbench_scorers.responses import MARKUP, response
from openbench_scorers.words import contains_word

NONE_WORDS = {
    "ar": ("لا شيء", "لا يوجد"),
    "cs": ("žádné", "žádný", "žádná", "nic"),
    "da": ("ingen",),
    "de": ("keine", "keine vorhanden", "keiner", "keines", "nichts"),
    "en": ("none", "no number", "no numbers", "no magic number"),
    "es": ("ninguno", "ninguna", "nada"),
    "fa": ("هیچکدام", "هیچ کدام", "هیچ"),
    "fi": ("ei mitään", "ei yhtään", "ei mikään"),
    "fr": ("aucun", "aucune", "rien"),
    "hi": ("कोई नहीं",),
    "hu": ("nincs", "egyik sem", "semmi"),
    "it": ("nessuno", "nessuna", "nessun", "niente"),
    "ja": ("なし", "該当なし", "ありません", "数字はありません"),
    "ko": ("없음", "없습니다"),
    "nl": ("geen", "niets"),
    "no": ("ingen",),
    "pl": ("brak", "żaden", "żadna", "żadne", "nic"),
    "pt": ("nenhum", "nenhuma", "nada"),
    "ru": ("нет", "никакой", "ничего", "отсутствует"),
    "sr": ("нема", "ниједан", "nema"),
    "st": ("ha ho letho",),
    "sv": ("ingen", "inga", "inget"),
    "sw": ("hakuna",),
    "ta": ("இல்லை", "எதுவும் இல்லை", "ஏதுமில்லை"),
    "th": ("ไม่มี",),
    "tr": ("hiçbiri", "yok"),
    "uk": ("немає", "жодного", "нема"),
    "vi": ("không có", "không"),
    "zh": ("没有", "沒有", "无", "無"),
}
"""Words for `none`, by the language's two letters of ISO 639-1."""

_ALL_NONE_WORDS = sorted({word for words in NONE_WORDS.values() for word in words})

_UNSPACED = frozenset({"ja", "ko", "th", "zh"})
_NUMBER = re.compile(r"\d{2,}")
_GROUPED = re.compile(r"(?<!\d)\d{1,3}(?:[,.'’٬ \u00a0\u202f]\d{3})+(?!\d)")  # noqa: RUF001 - other scripts


def score_niah(completion: str, targets: Sequence[str], language: str = "en") -> Score:
    """Check that a completion contains exactly the hidden numbers.

    All numbers of two digits or more count, each once, in any order and in the digits of any script; thousands
    separators are removed if the numbers are correct only without them. If no target has such a number and one is a
    word for `none`, in any language, nothing is hidden: the completion must say so in the question's language, and
    contain no such number either.

    Source: the needle tasks of Hsieh et al. 2024, RULER, arXiv 2404.06654, and of Kim et al. 2025, OneRuler, arXiv
    2503.01996, from which the handling of questions without an answer is taken.

    Args:
        completion: The model's completion.
        targets: The numbers, all of which are required, or a word for `none`.
        language: The language of the question, as two letters of ISO 639-1.

    Returns:
        Correct or incorrect; the answer lists the numbers that count. Unscored if no target is a number of two digits
        or more, or a word for `none` (`NONE_WORDS`).
    """
    if not any(target.strip() for target in targets):
        return without_target(completion)
    wanted = _numbers(" ".join(targets))
    if not wanted and not any(_plain(target) in map(_plain, _ALL_NONE_WORDS) for target in targets):
        return unscored(
            f"the target {list(targets)!r} has no number of two digits or more, and is not a word for none in any "
            f"language; in {language!r}, these are: {', '.join(NONE_WORDS[language])}.",
            completion,
        )
    text = response(completion)
    numbers = _numbers(text)
    if wanted:
        right = wanted in (numbers, _numbers(_GROUPED.sub(_joined, text)))
    else:
        right = not numbers and _says_none(text, NONE_WORDS[language], language)
    return Score(
        value=CORRECT if right else INCORRECT,
        answer=", ".join(sorted(numbers)),
        reason=None if numbers or right else unanswered(completion),
    )


@scorer(metrics=[accuracy(), stderr()])
def niah(language: str = "en") -> Scorer:
    """Score with `score_niah`.

    Args:
        language: The language of the questions, as two letters of ISO 639-1.

    Raises:
        UsageError: The words for `none` in this language are unknown.
    """
    one_of("language", language, NONE_WORDS)

    async def score(state: TaskState, target: Target) -> Score:
        return score_niah(state.output.completion, list(target), language)

    return score


def _numbers(text: str) -> set[str]:
    """Return the numbers of two digits or more, in ASCII digits."""
    return {"".join(str(int(digit)) for digit in number) for number in _NUMBER.findall(text)}


def _joined(grouped: re.Match[str]) -> str:
    return "".join(filter(str.isdecimal, grouped[0]))


def _plain(word: str) -> str:
    return fold(word).strip(MARKUP)


def _says_none(text: str, known: Sequence[str], language: str) -> bool:
    if language in _UNSPACED:
        return any(word in text for word in known)
    return any(contains_word(text, word) for word in known)
