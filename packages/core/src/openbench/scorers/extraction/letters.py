"""Reads the letter of an option at a given place of a text, and judges whether it is meant as one."""

# ruff: noqa: RUF001 -- punctuation and letters of other scripts

import re
import unicodedata
from functools import cache

from openbench.scorers.language import Language

NO_LETTER = ""
"""An announced answer that is not one letter: "Answer: A and C", "Answer: none of the above"."""

# Vowel signs and the like, which continue a word though `\w` leaves them out.
MARKS = "".join(chr(code) for code in range(0x300, 0x1CD0) if unicodedata.category(chr(code))[0] == "M")

_LEFT, _RIGHT = "([{<'\"«", ")]}>'\"»"
_CLOSE = rf"[{re.escape(_RIGHT)}]*+"
# Any English adverb but those that deny or doubt.
_ADVERBS = (
    "(?!unlikely|hardly|scarcely|barely|rarely|improbably|incorrectly|wrongly|falsely|mistakenly|supposedly|allegedly"
    "|possibly|potentially|conceivably)[a-z]{1,15}ly"
)
# After a letter, in lower case.
_COMPARED = re.compile(r"[^\S\n]*+(?:[<>]\s?-?\d|>\s?[a-z]\b)")
_FORMULA = re.compile(r"[^\S\n]*+(?:=(?!>)|[\^≈]|[+×÷·]\s?\w|\\(?!n\b)[a-z])")
# Capitals that are words of English and Romance languages.
_WORDS = "AIO"
# From here on a letter is hardly a word; before stand Cyrillic, whose prepositions are, and Hebrew and Arabic.
_INDIC = "\u0900"
_LIST_REACH = 400
# Words before a letter that is mentioned rather than a label: "this rules out B."
_NO_MENTION = "".join(
    rf"(?<!\b{word})"
    for word in ["not", "than", "out", "option", "choice", "be", "is", "choose", "pick", "or", "and", "answer"]
)


def alternatives(table: str) -> str:
    """Return a pattern of any word of a table, the longest first."""
    return "|".join(re.escape(word) for word in sorted(table.split("|"), key=len, reverse=True))


def _any_token(tokens: frozenset[str]) -> str:
    """Return a pattern of any of these; of the single characters as a set, which is searched far faster."""
    longer = sorted((token for token in tokens if len(token) > 1), key=len, reverse=True)
    return "|".join([*longer, f"[{''.join(sorted(token for token in tokens if len(token) == 1))}]"])


class LetterPatterns:
    """The patterns that find letters in a language."""

    def __init__(self, language: Language) -> None:
        fillers = f"{language.fillers}|{language.nouns}"
        # Not B12, B-cell (but Turkish B-dir, B'dir), B's, I'm, C++, C#, A.D.
        latin = rf"[A-Za-z](?![0-9A-Za-zÀ-ʯͰ-ӿ{MARKS}]|-(?!d[iı]r)[^\W\d_]|'(?![dt][iı]r)[A-Za-z]|#|\+\+|\.[A-Za-z]\.)"
        self.token = f"(?:{latin})"
        if native := language.letters:
            # Not the first letter of a word; Japanese and Korean append a copula.
            after = rf"(?![\w{MARKS}])|(?<=[ァ-ヶ])(?=[ぁ-ん])|(?<=[가-힣])(?=입니다|이다|이며|이에요|예요|번)"
            self.token = rf"(?:{latin}|(?:{_any_token(native | {token.upper() for token in native})})(?:{after}))"
        # Bounded, since "it is it is it is ..." is also a row of cues.
        self.fillers_before = (
            rf"(?:(?:{alternatives(fillers)}|{_ADVERBS})[ \t{re.escape(_LEFT)}:]++"
            rf"|(?:{language.unspaced_fillers})[ \t{re.escape(_LEFT)}:]*+){{0,4}}"
        )
        self.before = re.compile(rf"(?P<lead>[^\w?!]*+){self.fillers_before}")
        article = rf"[{language.articles}][ \t{re.escape(_LEFT)}]++(?={self.token})"
        self.letter = re.compile(rf"(?:{article})?(?P<letter>{self.token})")
        # What follows a letter. Each is matched where the letter ends, all but the second in lower case.
        self.rejected = re.compile(rf"[^\w.?!\n]*+(?:{language.rejections})|[^\w.,;:!\n]*\?")
        self.another = re.compile(
            rf"{_CLOSE}[^\S\n]*+"
            rf"(?:(?P<joined>,?[^\S\n]*+(?:(?:{language.joiners})(?!\w)|{language.unspaced_joiners}|[,、،/+&]))|;)?"
            rf"[ \t{re.escape(_LEFT)}]*+(?P<letter>{self.token})"
            rf"{_CLOSE}[^\S\n]*+(?:$|[\n.,;、。/&+]|(?:{language.joiners}|are|both|together)(?!\w)|{language.copulas}"
            rf"|(?={self.token})|(?(joined)(?:[(:–—]|-\s|(?:because|since|as)(?!\w))|(?!)))"
        )
        end = rf"['\"»]*+[)\]}}>}}]|{_CLOSE}[^\S\n]*+(?:$|[\n(\[]|[^\w\s?\\]|(?:{language.sequels})(?!\w)"
        self.end_of_latin = re.compile(rf"{end}|(?=[^\x00-\u036f]))")
        self.end_of_native = re.compile(rf"{end})")


letter_patterns = cache(LetterPatterns)
"""The patterns of a language, compiled once."""


class LetterReader:
    """Reads letters in one text.

    Attributes:
        text: The text, without markup.
        low: The same in lower case.
        valid: The letters that count.
        patterns: The patterns of the language.
    """

    def __init__(self, text: str, valid: frozenset[str], language: Language) -> None:
        self.text = text
        self.low = text.lower()
        self.valid = valid
        self.patterns = letter_patterns(language)
        self._language = language

    def read(self, position: int, *, strict: bool, cue: str = "") -> str | None:
        """Read the letter that the text names at a position, past brackets and words such as "option".

        Args:
            position: Where to read.
            strict: Whether the clause must end after the letter, as the cue alone says little.
            cue: What announced the letter, if anything did; its script decides how look-alikes are read.

        Returns:
            The letter; NO_LETTER if several are named; None if no letter is named.
        """
        before = self.patterns.before.match(self.low, position)
        if not before or (strict and ("." in before["lead"] or ";" in before["lead"])):
            return None
        # What reads as a filler may be the letter itself.
        letters = self.patterns.letter
        match = letters.match(self.text, before.end()) or letters.match(self.text, before.end("lead"))
        if not match:
            return None
        letter = self.resolve(match["letter"], cue or self.text[position : match.start()].strip(" ("))
        if not letter or self.patterns.rejected.match(self.low, match.end()) or _COMPARED.match(self.low, match.end()):
            return None
        if self._names_another(match.end(), letter, cue):
            return NO_LETTER
        return letter if self._is_meant(match, strict=strict) else None

    def _is_meant(self, match: re.Match[str], *, strict: bool) -> bool:
        """Return whether this letter is an answer rather than a word, a quantity or a label in a list."""
        token, start, end = match["letter"], match.start("letter"), match.end()
        if _FORMULA.match(self.low, end) or self._opens_list(token, start):
            return False
        if self.text[start - 1 : start] in tuple(_LEFT) and self.text[end : end + 1] in tuple(_RIGHT):
            return True
        pattern = self.patterns.end_of_latin if token.isascii() else self.patterns.end_of_native
        if pattern.match(self.low, end):
            return True
        if strict:
            return False
        return (token.isupper() and token not in _WORDS) if token.isascii() else token >= _INDIC

    def _names_another(self, end: int, letter: str, cue: str) -> bool:
        """Return whether a list of letters goes on: "A and C", "A, C"."""
        match = self.patterns.another.match(self.text, end)
        if not match or match["letter"].islower() is not self.text[end - 1].islower():
            return False
        other = self.resolve(match["letter"], cue)
        return other is not None and other != letter

    def _opens_list(self, token: str, start: int) -> bool:
        """Return whether this is the label of the first of several options, on this line or in lines of their own."""
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
        """Return the valid Latin letter that a letter of any script means."""
        readings = [token.upper()] if token.isascii() else self._language.read_letter(token, cue, self.text)
        return next((reading for reading in readings if reading in self.valid), None)
