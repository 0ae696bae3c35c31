"""Finds where a text announces an answer ("the answer is"), concludes with one ("so"), or calls one right.

A text is long and cues are many, so it is not searched for each: one pass shows which of them it can hold.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from openbench.scorers import languages as lang


class Cue(NamedTuple):
    """What announces an answer.

    Attributes:
        word: What to look for, in lower case.
        rank: Of two cues at one place, that of the lower rank is tried first.
        announces: Whether an answer is announced, rather than only concluded with or called right.
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


def _all_cues() -> Iterator[Cue]:
    """Yield the cues of all languages."""
    kinds: list[tuple[Mapping[str, str], Cue]] = [
        (lang.ANSWERS, Cue("", 0, reach=12)),
        (lang.OPTIONS, Cue("", 0, reach=4, direct=False)),
        (lang.CHOICES, Cue("", 0)),
        (lang.CONCLUSIONS, Cue("", 0, announces=False)),
        (lang.VERDICTS, Cue("", 0, announces=False, precedes=False)),
    ]
    ranks = iter(range(10_000))
    for table, kind in kinds:
        for word, rank in zip(lang.words(table), ranks, strict=False):
            yield kind._replace(word=word, rank=rank)


_SPACES = bytes(code if chr(code).isalpha() and code < 0x80 else 0x20 for code in range(256))  # noqa: PLR2004 -- ASCII
_SHORTEST_SIGN = 3
# A megabyte of nothing but cues is no answer; as many as these are read in milliseconds.
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


def _by_sign(cues: Iterable[Cue]) -> dict[bytes | str, list[tuple[Cue, _Words]]]:
    """Return the cues by what shows that a text may hold them, each with all of its words."""
    signs: dict[bytes | str, list[tuple[Cue, _Words]]] = defaultdict(list)
    for cue in cues:
        sign = _sign(cue.word)
        signs[sign].append((cue, frozenset(ascii_words(cue.word) if isinstance(sign, bytes) else ())))
    return dict(signs)


_CUES = _by_sign(_all_cues())
_WORDS = frozenset(word for cues in _CUES.values() for _, words in cues for word in words)
_LONGEST = max(len(cue.word) for cues in _CUES.values() for cue, _ in cues)
_LETTER = re.compile("[" + "".join(sign for sign in _CUES if isinstance(sign, str)) + "]")


def _held(low: str) -> list[Cue]:
    """Return the cues that a text in lower case can hold."""
    present = _WORDS.intersection(ascii_words(low))
    held = [cue for sign in present for cue, needed in _CUES.get(sign, ()) if needed <= present]
    if not low.isascii():
        held += [cue for sign in set(_LETTER.findall(low)) for cue, _ in _CUES[sign]]
    return held


class Stretch:
    """A part of a text, with the cues that may begin there."""

    def __init__(self, low: str, first: int, last: int) -> None:
        """Find the cues that may begin from a first position of a text in lower case to before a last one."""
        self._low = low
        self.first = first
        self._last = last
        self._cues = _held(low[first : last + _LONGEST])

    def places(self, *, announcing: bool) -> list[tuple[int, int, Cue]]:
        """Return the last places, from the end on, of cues that announce, or of the others.

        Returns:
            The position of each, what orders cues at one position, and the cue.
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
