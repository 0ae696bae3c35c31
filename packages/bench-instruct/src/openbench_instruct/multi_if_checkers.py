"""The checkers of Multi-IF that differ from IFEval: the same 25 instructions, in eight languages.

Source: He et al. 2024, Multi-IF: Benchmarking LLMs on multi-turn and multilingual instructions following, arXiv
2410.15553.
"""

# ruff: noqa: RUF001 -- these marks are matched

import re
import unicodedata

from openbench_instruct import ifeval_checkers
from openbench_instruct.instructions import Checkers, compare
from openbench_instruct.language import language_of
from openbench_instruct.lexicon import is_emoji
from openbench_instruct.text import count_words, sentences

_CHINESE = {"zh", "zh-cn", "zh-tw", "ja"}
_HINDI_END = re.compile(r"(?<=[।!?])\s*")
_CHINESE_SENTENCE = re.compile(r"[^!?。.！？．\n]+")
_IDEOGRAPH = re.compile(r"[一-鿿㐀-䶿぀-ゟ゠-ヿ가-힯]")
_DROPPED = str.maketrans("", "", "\\.!?．/_,{}<>:;$%^&*(+\"'—！，。？、`~@#￥…（）：；《》“”)[]»〔〕-「」")
_QUOTES = ('""', "“”", "「」")


def number_sentences(response: str, *, num_sentences: int, relation: str) -> bool:
    """Check the number of sentences, by the rules of the response's language."""
    match language_of(response):
        case "hi":
            found = [part for part in _HINDI_END.split(response) if part.strip()]
        case language if language in _CHINESE:
            found = [part for line in response.splitlines() for part in _CHINESE_SENTENCE.findall(line.strip())]
        case _:
            found = sentences(response)
    return compare(len(found), relation, num_sentences)


def number_words(response: str, *, num_words: int, relation: str) -> bool:
    """Check the number of words; in Chinese and Japanese, each character or emoji is a word."""
    count = _chinese_words(response) if language_of(response) in _CHINESE else count_words(response)
    return compare(count, relation, num_words)


def number_words_with_signs(response: str, *, num_words: int, relation: str) -> bool:
    """Check the number of words, with Hindi vowel signs as parts of words."""
    text = "".join(character for character in response if not unicodedata.category(character).startswith("M"))
    return number_words(text, num_words=num_words, relation=relation)


def quotation(response: str) -> bool:
    """Check that the response is enclosed in a pair of double quotation marks of any of the languages."""
    text = response.strip()
    return len(text) > 1 and text[0] + text[-1] in _QUOTES


_OTHERS: Checkers = {
    "length_constraints:number_sentences": number_sentences,
    "length_constraints:number_words": number_words,
    "startend:quotation": quotation,
}

FAITHFUL: Checkers = {**ifeval_checkers.FAITHFUL, **_OTHERS}
"""The published checkers, by instruction id."""

FIXED: Checkers = {**ifeval_checkers.FIXED, **_OTHERS, "length_constraints:number_words": number_words_with_signs}
"""The checkers with the defects in the README's table repaired, by instruction id."""


def _chinese_words(text: str) -> int:
    text = text.translate(_DROPPED)
    emoji = sum(map(is_emoji, text))
    others = "".join(character for character in text if not is_emoji(character))
    return emoji + len(_IDEOGRAPH.findall(others)) + len(_IDEOGRAPH.sub(" ", others).split())
