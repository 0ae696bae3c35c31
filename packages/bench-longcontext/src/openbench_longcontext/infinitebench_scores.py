"""The scoring rules of InfiniteBench's tasks, from 0 to 1, after `src/compute_scores.py` of its repository.

Each function takes a response and the correct answers.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

Rule = Callable[[str, Sequence[str]], float]

_CHINESE_PUNCTUATION = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】"  # noqa: RUF001 - punctuation
    "〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏."  # noqa: RUF001 - punctuation
)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_WITHOUT_ASCII_PUNCTUATION = str.maketrans("", "", string.punctuation)
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation + _CHINESE_PUNCTUATION)
_NUMBER = re.compile(r"\d+\.\d+|\d+")
_DEBUG_PREFIXES = ("answer is:", "is:", "answer:", "correct option is:")
_CHOICE_PREFIXES = ("answer is:", "answer:", "answer is", "option is")
_DEBUG_NOISE = ("\n", "`", "'", '"', "-", "*", "Option", "option")
_CHOICE_NOISE = ("\n", '"', "'", ".", ",", "?", "!", "{", "}")
_WORD_SEPARATORS = ("\n", ":", '"', "'", ".", ",", "?", "!", "{", "}")
_RUN_SEPARATORS = ("\n", ".", "`", "'", '"', ":")


def first_integer(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the first run of digits is the answer (`passkey`, `number_string`)."""
    found = re.search(r"[0-9]+", text)
    return float(found is not None and found[0] == answers[0])


def contains_token(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the answer is one of the words, which are split at spaces and punctuation (`kv_retrieval`)."""
    return float(answers[0] in _spaced(text, _WORD_SEPARATORS).split())


def contains_name(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the name is one of the words in upper case (`longdialogue_qa_eng`)."""
    return float(answers[0] in _spaced(text.strip(), _WORD_SEPARATORS).upper().split())


def last_integer(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the last word is the number (`code_run`)."""
    words = _spaced(text.strip(), _RUN_SEPARATORS).split()
    try:
        return float(bool(words) and int(words[-1]) == int(answers[0]))
    except ValueError:
        return 0.0


def first_number(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the first number is the answer (`math_find`)."""
    found = _NUMBER.search(text)
    return float(found is not None and float(found[0]) == float(answers[0]))


def leading_values(text: str, answers: Sequence[str]) -> float:
    """Return the share of intermediate values before the first wrong one (`math_calc`)."""
    values = list(map(int, re.findall(r"[0-9]+", text)))
    correct = 0
    for value, answer in zip(values, answers, strict=False):
        if value != int(answer):
            break
        correct += 1
    return correct / len(answers)


def announced_function(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the response begins with the letter, or announces the letter or the function (`code_debug`).

    Args:
        text: The response.
        answers: The name of the function, and the letter of its option.
    """
    name, letter = answers
    text = text.strip()
    if text[:2] in {f"{letter}.", f"{letter}:"}:
        return 1.0
    rest = _announced(_spaced(text, _DEBUG_NOISE), _DEBUG_PREFIXES)
    return float(rest is not None and rest.startswith((letter, name)))


def announced_choice(text: str, answers: Sequence[str]) -> float:
    """Return 1 if the response begins with the letter, equals the answer, or announces it (`longbook_choice_eng`).

    Args:
        text: The response.
        answers: The text and the letter of the option.
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
    """Return the best F1 over words, ignoring case, punctuation and articles (`longbook_qa_eng`)."""
    return max(_f1(_english(text), _english(answer)) for answer in answers)


def chinese_f1(text: str, answers: Sequence[str]) -> float:
    """Return the best F1 over characters, ignoring case, punctuation and white space (`longbook_qa_chn`)."""
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
"""The rules by task name, which is the name of the dataset's file."""


def _spaced(text: str, separators: Sequence[str]) -> str:
    for separator in separators:
        text = text.replace(separator, " ")
    return text


def _announced(text: str, prefixes: Sequence[str]) -> str | None:
    """Return the text after the first prefix found and the character that follows it; None without a prefix."""
    text = re.sub(" {2,}", " ", text)
    prefix = next((each for each in prefixes if each in text), None)
    return None if prefix is None else text[text.index(prefix) + len(prefix) + 1 :]


def _english(text: str) -> list[str]:
    return _ARTICLE.sub(" ", text.lower().translate(_WITHOUT_ASCII_PUNCTUATION)).split()


def _chinese(text: str) -> list[str]:
    return list("".join(text.lower().translate(_WITHOUT_PUNCTUATION).split()))


def _f1(predicted: list[str], correct: list[str]) -> float:
    shared = (Counter(predicted) & Counter(correct)).total()
    return 2 * shared / (len(predicted) + len(correct)) if shared else 0.0


@cache
def _rouge() -> Any:
    from rouge_score import rouge_scorer  # noqa: PLC0415 - importing nltk and SciPy takes almost a second

    return rouge_scorer.RougeScorer(["rougeLsum"])
