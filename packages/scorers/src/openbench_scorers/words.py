"""Splits text into words, in any script."""

import re

# `\w` excludes vowel signs and tone marks that are separate characters in some scripts.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0970-\u0dff"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u200c\u200d"
)
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_JOINT = r"'\u2019\-"
_SIGN = re.compile(f"[{_IDEOGRAPH}]")
_ADJOINING = rf"[\w{_MARKS}]"
_LETTER = rf"(?![{_IDEOGRAPH}]){_ADJOINING}"
_WORD = re.compile(rf"[{_IDEOGRAPH}]|(?:{_LETTER})+(?:[{_JOINT}](?:{_LETTER})+)*")


def words(text: str) -> list[str]:
    """Split a text into words of letters, digits and marks; hyphens and apostrophes within a word join its parts.

    In Chinese and Japanese, each character is a word. Other scripts without spaces, such as Thai, are not split.
    """
    return _WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Split a text into lower-case words like `words`, but also at hyphens and apostrophes."""
    return [token for word in words(text.lower()) for token in re.split(rf"[{_JOINT}]", word)]


def contains_word(text: str, word: str) -> bool:
    """Return whether a text has a word (or a sequence of words) not adjacent to a letter, digit or mark; ignoring case.

    Chinese and Japanese characters may be adjacent to anything.
    """
    sought = word.casefold()
    before, after = ("" if _SIGN.match(end) else _ADJOINING for end in (sought[:1], sought[-1:]))
    pattern = (f"(?<!{before})" if before else "") + re.escape(sought) + (f"(?!{after})" if after else "")
    return re.search(pattern, text.casefold()) is not None
