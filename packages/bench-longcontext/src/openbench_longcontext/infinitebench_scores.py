"""How each task of InfiniteBench is scored, from 0 to 1, after `src/compute_scores.py` of its repository.

Each function takes a response and the right answers; both are texts.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

Rule = Callable[[str, Sequence[str]], float]

_CHINESE = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】"  # noqa: RUF001 - signs
    "〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏."  # noqa: RUF001 - likewise
)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_ENGLISH_SIGNS = str.maketrans("", "", string.punctuation)
_ALL_SIGNS = str.maketrans("", "", string.punctuation + _CHINESE)
_NUMBER = re.compile(r"\d+\.\d+|\d+")
_DEBUG_PREFIXES = ("answer is:", "is:", "answer:", "correct option is:")
_CHOICE_PREFIXES = ("answer is:", "answer:", "answer is", "option is")
_DEBUG_NOISE = ("\n", "`", "'", '"', "-", "*", "Option", "option")
_CHOICE_NOISE = ("\n", '"', "'", ".", ",", "?", "!", "{", "}")
_WORD_SIGNS = ("\n", ":", '"', "'", ".", ",", "?", "!", "{", "}")
_RUN_SIGNS = ("\n", ".", "`", "'", '"', ":")


def first_integer(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the first run of digits is the answer (`passkey`, `number_string`)."""
    found = re.search(r"[0-9]+", text)
    return float(found is not None and found[0] == answers[0])


def contains_token(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the answer is among the words between spaces and signs (`kv_retrieval`)."""
    return float(answers[0] in _spaced(text, _WORD_SIGNS).split())


def contains_name(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the name is among the words, in capitals (`longdialogue_qa_eng`)."""
    return float(answers[0] in _spaced(text.strip(), _WORD_SIGNS).upper().split())


def last_integer(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the last word is the number (`code_run`)."""
    words = _spaced(text.strip(), _RUN_SIGNS).split()
    try:
        return float(bool(words) and int(words[-1]) == int(answers[0]))
    except ValueError:
        return 0.0


def first_number(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the first number is the answer (`math_find`)."""
    found = _NUMBER.search(text)
    return float(found is not None and float(found[0]) == float(answers[0]))


def leading_values(text: str, answers: Sequence[str]) -> float:
    """Return the share of intermediate values that are right before the first wrong one (`math_calc`)."""
    said = list(map(int, re.findall(r"[0-9]+", text)))
    right = 0
    for value, wanted in zip(said, answers, strict=False):
        if value != int(wanted):
            break
        right += 1
    return right / len(answers)


def announced_function(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the response begins with the letter, or announces it or the function (`code_debug`).

    Args:
        text: The response.
        answers: The function's name, and its letter.
    """
    name, letter = answers
    text = text.strip()
    if text[:2] in {f"{letter}.", f"{letter}:"}:
        return 1.0
    rest = _announced(_spaced(text, _DEBUG_NOISE), _DEBUG_PREFIXES)
    return float(rest is not None and rest.startswith((letter, name)))


def announced_choice(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the response begins with the letter, is the answer, or announces it (`longbook_choice_eng`).

    Args:
        text: The response.
        answers: The option's text, and its letter.
    """
    text = text.strip()
    if not text:
        return 0.0
    if text[0] in "ABCD":
        return float(text[0] in answers)
    if text in answers:
        return 1.0
    spaced = _spaced(text, _CHOICE_NOISE)
    rest = _announced(spaced, _CHOICE_PREFIXES)
    if rest is not None:
        return float(rest.startswith(tuple(answers)))
    first = next((word for word in spaced.split() if word in "ABCD"), None)
    return float(first is not None and first in answers)


def english_f1(text: str, answers: Sequence[str]) -> float:
    """Return the best F1 of words without case, punctuation and articles (`longbook_qa_eng`)."""
    return max(_f1(_english(text), _english(answer)) for answer in answers)


def chinese_f1(text: str, answers: Sequence[str]) -> float:
    """Return the best F1 of characters without case, punctuation and space (`longbook_qa_chn`)."""
    return max(_f1(_chinese(text), _chinese(answer)) for answer in answers)


def rouge_lsum(text: str, answers: Sequence[str]) -> float:
    """Return ROUGE-Lsum, the F-measure of the library rouge-score without stemming (`longbook_sum_eng`)."""
    return float(_rouge().score(answers[0], text)["rougeLsum"].fmeasure)


RULES: Mapping[str, Rule] = {
    "passkey": first_integer,
    "number_string": first_integer,
    "kv_retrieval": contains_token,
    "code_run": last_integer,
    "code_debug": announced_function,
    "math_find": first_number,
    "math_calc": leading_values,
    "longdialogue_qa_eng": contains_name,
    "longbook_qa_eng": english_f1,
    "longbook_qa_chn": chinese_f1,
    "longbook_choice_eng": announced_choice,
    "longbook_sum_eng": rouge_lsum,
}
"""The rules by the tasks' names, which are those of the dataset's files."""


def _spaced(text: str, signs: Sequence[str]) -> str:
    for sign in signs:
        text = text.replace(sign, " ")
    return text


def _announced(text: str, prefixes: Sequence[str]) -> str | None:
    """Return what follows the first of the prefixes that a text has, without the character after it."""
    text = re.sub(" {2,}", " ", text)
    prefix = next((each for each in prefixes if each in text), None)
    return None if prefix is None else text[text.index(prefix) + len(prefix) + 1 :]


def _english(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_ENGLISH_SIGNS)).split()


def _chinese(text: str) -> list[str]:
    return list("".join(text.lower().translate(_ALL_SIGNS).split()))


def _f1(said: list[str], wanted: list[str]) -> float:
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted)) if shared else 0.0


@cache
def _rouge() -> Any:
    from rouge_score import rouge_scorer  # noqa: PLC0415 - it imports nltk and SciPy, for almost a second

    return rouge_scorer.RougeScorer(["rougeLsum"])
