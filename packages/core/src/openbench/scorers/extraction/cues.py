"""Finds where a text announces an answer ("the answer is"), concludes with one ("so"), or calls one correct.

Texts are long and cues are many, so a text is not searched for each: one pass shows which of them it can hold.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from openbench.scorers.language import NEVER, Language


class Cue(NamedTuple):
    """A phrase that announces an answer.

    Attributes:
        word: The phrase, in lower case.
        rank: Of two cues at one place, that of the lower rank is tried first.
        announces: Whether an answer is announced, rather than only concluded with or called correct.
        precedes: Whether the letter stands after the cue; a verdict follows its letter.
        reach: The number of words after it among which "is" may stand.
        direct: Whether the letter may follow at once, if the clause ends after it ("answer B", "I choose B").
    """

    word: str
    rank: int
    announces: bool = True
    precedes: bool = True
    reach: int = 0
    direct: bool = True


def _cues_of(language: Language) -> Iterator[Cue]:
    kinds = [
        (language.answers, Cue("", 0, reach=12)),
        (language.options, Cue("", 0, reach=4, direct=False)),
        (language.choices, Cue("", 0)),
        (language.conclusions, Cue("", 0, announces=False)),
        (language.verdicts, Cue("", 0, announces=False, precedes=False)),
    ]
    ranks = iter(range(10_000))
    for table, kind in kinds:
        for word, rank in zip(table.split("|"), ranks, strict=False):
            yield kind._replace(word=word, rank=rank)


_SPACES = bytes(code if chr(code).isalpha() and code < 0x80 else 0x20 for code in range(256))  # noqa: PLR2004 -- ASCII
_SHORTEST_SIGN = 3
# A megabyte of nothing but cues is not an answer; this many are read in milliseconds.
_MOST_PLACES = 300

_Words = frozenset[bytes]


def ascii_words(low: str) -> list[bytes]:
    """Return the runs of ASCII letters in a text in lower case."""
    return low.encode("ascii", "replace").translate(_SPACES).split()


def _sign(word: str) -> bytes | str:
    """Return what shows that a text may hold a cue: a run of ASCII letters, else its first letter beyond ASCII."""
    longest = max(ascii_words(word), key=len, default=b"")
    if word.isascii() or len(longest) >= _SHORTEST_SIGN:
        return longest
    return next(character for character in word if not character.isascii())


class CueTable:
    """The cues of a language by what shows that a text may hold them."""

    def __init__(self, language: Language) -> None:
        self._by_sign: dict[bytes | str, list[tuple[Cue, _Words]]] = defaultdict(list)
        for cue in _cues_of(language):
            sign = _sign(cue.word)
            words = frozenset(ascii_words(cue.word) if isinstance(sign, bytes) else ())
            self._by_sign[sign].append((cue, words))
        cues = [each for same in self._by_sign.values() for each in same]
        self._words = frozenset(word for _, words in cues for word in words)
        self.longest = max(len(cue.word) for cue, _ in cues)
        letters = "".join(sign for sign in self._by_sign if isinstance(sign, str))
        self._letter = re.compile(f"[{letters}]" if letters else NEVER)

    def held(self, low: str) -> list[Cue]:
        """Return the cues that a text in lower case can hold."""
        present = self._words.intersection(ascii_words(low))
        held = [cue for sign in present for cue, needed in self._by_sign.get(sign, ()) if needed <= present]
        if not low.isascii():
            held += [cue for sign in set(self._letter.findall(low)) for cue, _ in self._by_sign[sign]]
        return held


@cache
def cue_table(language: Language) -> CueTable:
    """Return the table of a language, made once."""
    return CueTable(language)


class Stretch:
    """A part of a text, with the cues that may begin there."""

    def __init__(self, low: str, first: int, last: int, table: CueTable) -> None:
        """Find the cues that may begin from a first position of a text in lower case to before a last one."""
        self._low = low
        self.first = first
        self._last = last
        self._cues = table.held(low[first : last + table.longest])

    def places(self, *, announcing: bool) -> list[tuple[int, int, Cue]]:
        """Return the last places, from the end on, of cues that announce, or of the others.

        Returns:
            The position of each, the order of cues at one position, and the cue.
        """
        low, first = self._low, self.first
        found: list[tuple[int, int, Cue]] = []
        for cue in self._cues:
            if cue.announces is announcing:
                word, order, most = cue.word, -cue.rank, len(found) + _MOST_PLACES
                start = low.rfind(word, first, self._last + len(word) - 1)
                while start >= 0 and len(found) < most:
                    found.append((start, order, cue))
                    start = low.rfind(word, first, start + len(word) - 1)
        found.sort(reverse=True)
        return found[:_MOST_PLACES]
