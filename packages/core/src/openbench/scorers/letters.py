"""Reads the letter of an option at a given place of a text, and judges whether it is meant as one."""

# ruff: noqa: RUF001 -- punctuation and letters of other scripts

import re
import unicodedata
from collections.abc import Mapping
from functools import cached_property
from string import ascii_uppercase

from openbench.scorers.alphabets import LOOKALIKES, NATIVE_LETTERS
from openbench.scorers.cleaning import FIRST_WORD
from openbench.scorers.languages import (
    ADVERBS,
    ARTICLES,
    COPULAS,
    FILLERS,
    JOINERS,
    NOUNS,
    REJECTIONS,
    SEQUELS,
    UNSPACED_FILLERS,
    words,
)

NO_LETTER = ""
"""What announces an answer that is not one letter: "Answer: A and C", "Answer: none of the above"."""


def alternatives(strings: Mapping[str, str] | str) -> str:
    """Return a pattern of any of these words, the longest first."""
    listed = strings.split("|") if isinstance(strings, str) else words(strings)
    return "|".join(re.escape(word) for word in sorted(listed, key=len, reverse=True))


def _native_letters() -> dict[str, str]:
    native: dict[str, str] = {}
    for sequence in NATIVE_LETTERS.values():
        for token, letter in zip(sequence.split(), ascii_uppercase, strict=False):
            native.setdefault(token, letter)
    return native


_NATIVE = _native_letters()
_TOKENS = {*_NATIVE, *LOOKALIKES}


def _any_token(tokens: set[str]) -> str:
    """Return a pattern of any of these; of the single characters as a set, which is searched far faster."""
    longer = sorted((token for token in tokens if len(token) > 1), key=len, reverse=True)
    return "|".join([*longer, f"[{''.join(sorted(token for token in tokens if len(token) == 1))}]"])


_NATIVE_TOKEN = _any_token(_TOKENS | {token.upper() for token in _TOKENS})

# Vowel signs and the like, which continue a word though `\w` leaves them out.
MARKS = "".join(chr(code) for code in range(0x300, 0x1CD0) if unicodedata.category(chr(code))[0] == "M")

TOKEN = (
    # Not B12, B-cell (but Turkish B-dir, B'dir), B's, I'm, C++, C#, A.D.
    rf"(?:[A-Za-z](?![0-9A-Za-zÀ-ʯͰ-ӿ{MARKS}]|-(?!d[iı]r)[^\W\d_]|'(?![dt][iı]r)[A-Za-z]|#|\+\+|\.[A-Za-z]\.)"
    # Not the first letter of a word; Japanese and Korean append a copula.
    rf"|(?:{_NATIVE_TOKEN})(?:(?![\w{MARKS}])|(?<=[ァ-ヶ])(?=[ぁ-ん])|(?<=[가-힣])(?=입니다|이다|이며|이에요|예요|번)))"
)
_LEFT, _RIGHT = "([{<'\"«", ")]}>'\"»"
_CLOSE = rf"[{re.escape(_RIGHT)}]*+"
_FILLERS = "|".join(words(FILLERS) + words(NOUNS))
# Bounded, since "it is it is it is ..." is also a row of cues.
FILLERS_BEFORE = (
    rf"(?:(?:{alternatives(_FILLERS)}|{ADVERBS})[ \t{re.escape(_LEFT)}:]++"
    rf"|(?:{UNSPACED_FILLERS})[ \t{re.escape(_LEFT)}:]*+){{0,4}}"
)
_BEFORE = re.compile(rf"(?P<lead>[^\w?!]*+){FILLERS_BEFORE}")
_LETTER = re.compile(rf"(?:[{ARTICLES}][ \t{re.escape(_LEFT)}]++(?={TOKEN}))?(?P<letter>{TOKEN})")

_STARTS = frozenset(match[1] for filler in _FILLERS.split("|") if (match := FIRST_WORD.match(filler)))


def begins_filler(word: str) -> bool:
    """Return whether a word, in lower case, may begin what stands between a cue and its letter."""
    return word in _STARTS or word.endswith("ly")


# What follows a letter. Each is matched where the letter ends, the first and the last two in lower case.
_REJECTED = re.compile(rf"[^\w.?!\n]*+(?:{REJECTIONS})|[^\w.,;:!\n]*\?")
_ANOTHER = re.compile(
    rf"{_CLOSE}[^\S\n]*+(?:(?P<joined>,?[^\S\n]*+(?:(?:{JOINERS['spaced']})(?!\w)|{JOINERS['unspaced']}|[,、،/+&]))|;)?"
    rf"[ \t{re.escape(_LEFT)}]*+(?P<letter>{TOKEN})"
    rf"{_CLOSE}[^\S\n]*+(?:$|[\n.,;、。/&+]|(?:{JOINERS['spaced']}|are|both|together)(?!\w)|{COPULAS}|(?={TOKEN})"
    r"|(?(joined)(?:[(:–—]|-\s|(?:because|since|as)(?!\w))|(?!)))"
)
_COMPARED = re.compile(r"[^\S\n]*+(?:[<>]\s?-?\d|>\s?[a-z]\b)")
_FORMULA = re.compile(r"[^\S\n]*+(?:=(?!>)|[\^≈]|[+×÷·]\s?\w|\\(?!n\b)[a-z])")
_END = rf"['\"»]*+[)\]}}>]|{_CLOSE}[^\S\n]*+(?:$|[\n(\[]|[^\w\s?\\]|(?:{SEQUELS})(?!\w)"
_END_OF_LATIN = re.compile(rf"{_END}|(?=[^\x00-\u036f]))")
_END_OF_NATIVE = re.compile(rf"{_END})")

_LATIN_LABEL = re.compile(r"(?<!\w)[B-HС][).]")
_CYRILLIC_LABEL = re.compile(r"(?<!\w)[БГДбгд][).]")

# Capitals that are words of English and Romance languages.
_WORDS = "AIO"
# From here on a letter is hardly a word; before stand Cyrillic, whose prepositions are, and Hebrew and Arabic.
_INDIC = "\u0900"
_LIST_REACH = 400
# Words before a letter that is spoken of rather than a label: "this rules out B."
_NO_MENTION = "".join(
    rf"(?<!\b{word})"
    for word in ["not", "than", "out", "option", "choice", "be", "is", "choose", "pick", "or", "and", "answer"]
)


def _script(text: str) -> str:
    """Return the script of a text's first letter where it has letters that look Latin, else ""."""
    first = text[:1]
    return "Cyrillic" if "\u0400" <= first <= "\u04ff" else "Greek" if "\u0370" <= first <= "\u03ff" else ""


class LetterReader:
    """Reads letters in one text.

    Attributes:
        text: The text, without markup.
        low: The same in lower case.
        valid: The letters that count.
        whole: What the text is the end of; how the options are labelled may show there.
    """

    def __init__(self, text: str, valid: frozenset[str], whole: str) -> None:
        self.text = text
        self.low = text.lower()
        self.valid = valid
        self.whole = whole

    def read(self, position: int, *, strict: bool, cue: str = "") -> str | None:
        """Read the letter that the text names at a position, past brackets and words such as "option".

        Args:
            position: Where to read.
            strict: Whether the clause must end after the letter, as the cue alone says little.
            cue: What announced the letter, if anything did; its script tells how to read look-alikes.

        Returns:
            The letter; NO_LETTER if several are named; None if no letter is named.
        """
        match = self._match(position, strict=strict)
        if not match:
            return None
        letter = self.resolve(match["letter"], cue or self.text[position : match.start()].strip(" ("))
        if not letter or _REJECTED.match(self.low, match.end()) or _COMPARED.match(self.low, match.end()):
            return None
        if self._names_another(match.end(), letter, cue):
            return NO_LETTER
        return letter if self._is_meant(match, strict=strict) else None

    def _match(self, position: int, *, strict: bool) -> re.Match[str] | None:
        """Match what may be a letter, past brackets and words such as "option"."""
        word = FIRST_WORD.match(self.low, position)
        if word and not begins_filler(word[1]):
            return None
        before = _BEFORE.match(self.low, position)
        if not before or (strict and ("." in before["lead"] or ";" in before["lead"])):
            return None
        # What reads as a filler may be the letter itself.
        return _LETTER.match(self.text, before.end()) or _LETTER.match(self.text, before.end("lead"))

    def _is_meant(self, match: re.Match[str], *, strict: bool) -> bool:
        """Judge whether this letter is an answer rather than a word, a quantity or a label in a list."""
        token, start, end = match["letter"], match.start("letter"), match.end()
        if _FORMULA.match(self.low, end) or self._opens_list(token, start):
            return False
        if self.text[start - 1 : start] in tuple(_LEFT) and self.text[end : end + 1] in tuple(_RIGHT):
            return True
        pattern = _END_OF_LATIN if token.isascii() else _END_OF_NATIVE
        if pattern.match(self.low, end):
            return True
        if strict:
            return False
        return (token.isupper() and token not in _WORDS) if token.isascii() else token >= _INDIC

    def _names_another(self, end: int, letter: str, cue: str) -> bool:
        """Tell whether a list of letters goes on: "A and C", "A, C"."""
        match = _ANOTHER.match(self.text, end)
        if not match or match["letter"].islower() is not self.text[end - 1].islower():
            return False
        other = self.resolve(match["letter"], cue)
        return other is not None and other != letter

    def _opens_list(self, token: str, start: int) -> bool:
        """Tell whether this is the label of the first of several options, on this line or in lines of their own."""
        end = start + len(token)
        delimiter = self.text[end : end + 2].lstrip("\"'")[:1]
        if not token.isascii() or delimiter not in tuple(").:、"):
            return False
        # With nothing after it, "B." ends a sentence.
        following = rf"[(\"']?{re.escape(chr(ord(token) + 1))}[\"']?{re.escape(delimiter)}[^\S\n]*+[^\n]"
        within = self.text[end : end + _LIST_REACH]
        if re.search(rf"{_NO_MENTION}[ \t]{following}", within.partition("\n")[0]):
            return True
        begins_line = not self.text[max(0, start - 20) : start].rpartition("\n")[2].strip(" \t(>#-")
        return begins_line and bool(re.search(rf"\n[ \t>#-]*{following}", within))

    def resolve(self, token: str, cue: str) -> str | None:
        """Return the valid Latin letter that a letter of any script stands for."""
        readings = [token.upper()] if token.isascii() else self._readings(token, cue)
        return next((reading for reading in readings if reading in self.valid), None)

    def _readings(self, token: str, cue: str) -> list[str]:
        """Return what a letter that is not ASCII may stand for, the likeliest first."""
        small = token.lower()
        native, latin = _NATIVE.get(small), LOOKALIKES.get(small)
        script = _script(token)
        in_script = _script(cue) == script
        if script == "Greek" and cue and not in_script:
            # Greek letters occur as symbols in any language: "the answer is β".
            native, latin = None, latin if token.isupper() else None
        ordered = (
            (native, latin) if token.islower() or self._is_native(script, in_script=in_script) else (latin, native)
        )
        return [reading for reading in ordered if reading]

    def _is_native(self, script: str, *, in_script: bool) -> bool:
        """Tell whether look-alikes are letters of their own alphabet: as the options are labelled, else as the cue."""
        if script == "Cyrillic" and self._labels:
            return self._labels == script
        return in_script or not script

    @cached_property
    def _labels(self) -> str:
        """The script of the options' labels, if it shows."""
        if _CYRILLIC_LABEL.search(self.whole):
            return "Cyrillic"
        return "Latin" if _LATIN_LABEL.search(self.whole) else ""
