"""Estimates the number of tokens of a text without a tokenizer, from the scripts of its characters.

inspect's own count downloads a tokenizer's vocabulary, and each model has a different one. Here each character counts
for the average share of a token that characters of its kind have in o200k_base, the vocabulary of OpenAI's models since
GPT-4o. Spaces between words cost nothing, since a word's token includes the space before it.

The shares are fitted to the texts on which the error was then measured, against o200k_base. For a whole set, it is

    MMLU, 14,042 questions with options    +0.8 %      HumanEval          -6.0 %
    AGIEval: MATH                          +0.5 %      GSM8K              -6.5 %
    AGIEval: LogiQA                        +5.4 %      AGIEval: LSAT-AR   -5.2 %
    IFEval                                 +2.8 %

and for a single question 7 to 12 % on average. For the interface texts of a program in 25 other languages, it is 3 % on
average and 11 % at most (Hungarian). Other vocabularies differ: cl100k_base, OpenAI's previous one, needs as many
tokens for English, 1.4 times as many for Russian, twice as many for Arabic or Greek, and 2.6 to 4.4 times as many for
Hindi, Telugu or Georgian.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

from inspect_ai.model import ChatMessage, ContentText

from openbench_dryrun.messages import shown_content

PER_MESSAGE = 4
"""The tokens that a chat template adds to a message."""

_ASCII_LETTER = 0.235
_DIGIT = 1.1
_PUNCTUATION = 0.8
_OTHER_LETTER = 0.4
_SYMBOL = 0.8

# By the first word of a character's name in Unicode.
_SCRIPTS = {
    "LATIN": 0.8,
    "CYRILLIC": 0.29,
    "GREEK": 0.4,
    "ARABIC": 0.33,
    "HEBREW": 0.41,
    "DEVANAGARI": 0.36,
    "BENGALI": 0.4,
    "TAMIL": 0.36,
    "TELUGU": 0.5,
    "THAI": 0.38,
    "GEORGIAN": 0.34,
    "ARMENIAN": 0.36,
    "MYANMAR": 0.6,
    "KHMER": 0.6,
    "HIRAGANA": 0.6,
    "KATAKANA": 0.6,
    "HANGUL": 0.62,
    "CJK": 0.67,
}


def text_tokens(text: str) -> float:
    """Estimate the tokens of a text."""
    return sum(_share(char) * count for char, count in Counter(text).items())


def messages_tokens(messages: Iterable[ChatMessage]) -> float:
    """Estimate the tokens of messages; images, audio and other media are not counted (see `other_parts`)."""
    return sum(PER_MESSAGE + text_tokens(_text(message)) for message in messages)


def other_parts(messages: Iterable[ChatMessage]) -> int:
    """Count the parts of messages that are not text."""
    lists = [message.content for message in messages if not isinstance(message.content, str)]
    return sum(not isinstance(part, ContentText) for content in lists for part in content)


def _text(message: ChatMessage) -> str:
    return message.text if other_parts([message]) else shown_content(message)


@cache
def _share(char: str) -> float:
    """Return the average share of a token that a character has."""
    kind = unicodedata.category(char)[0]
    if kind in "ZC":
        return 0.0
    if kind == "N" and char.isdigit():
        return _DIGIT
    if char.isascii():
        return _ASCII_LETTER if kind == "L" else _PUNCTUATION
    return _SCRIPTS.get(unicodedata.name(char, "").partition(" ")[0].partition("-")[0], _other(kind))


def _other(kind: str) -> float:
    return _OTHER_LETTER if kind in "LM" else _SYMBOL
