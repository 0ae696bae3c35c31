"""Finds the letter that a completion announces ("the answer is B"), concludes with, or calls right."""

# ruff: noqa: RUF001 -- punctuation of other scripts

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from openbench.scorers import languages as lang
from openbench.scorers.choices import Choices
from openbench.scorers.letters import FILLERS_BEFORE, MARKS, NO_LETTER, TOKEN, LetterReader, alternatives


class _Cue(NamedTuple):
    """What announces an answer.

    Attributes:
        word: What to look for.
        reach: The number of words after it among which "is" may stand.
        direct: Whether the letter may follow at once, if the clause ends after it ("answer B", "I choose B").
    """

    word: str
    reach: int
    direct: bool


class _Lead(NamedTuple):
    """Where a letter may stand after a cue, whether the clause must end after it, and whether the cue is negated."""

    position: int
    strict: bool
    negated: bool


def _cues_of(table: Mapping[str, str], *, reach: int, direct: bool) -> tuple[_Cue, ...]:
    return tuple(_Cue(word, reach, direct) for word in lang.words(table))


class _CueSet(NamedTuple):
    """Cues, and a pattern of any of them."""

    cues: tuple[_Cue, ...]
    any_cue: re.Pattern[str]


def _together(*cues: _Cue) -> dict[bool, _CueSet]:
    """Return the cues for a text, by whether it is all ASCII: such a text, like most, can hold few of them."""
    written = {True: tuple(cue for cue in cues if cue.word.isascii()), False: cues}
    return {
        key: _CueSet(some, re.compile("|".join(re.escape(cue.word) for cue in some))) for key, some in written.items()
    }


_ANNOUNCING = _together(
    *_cues_of(lang.ANSWERS, reach=12, direct=True),
    *_cues_of(lang.OPTIONS, reach=4, direct=False),
    *_cues_of(lang.CHOICES, reach=0, direct=True),
)
_CONCLUDING = _together(*_cues_of(lang.CONCLUSIONS, reach=0, direct=True))
_VERDICTS = lang.words(lang.VERDICTS)
_LINKS = frozenset(lang.words(lang.LINKS))
_OPTION_WORDS = frozenset(lang.words(lang.OPTIONS)) | frozenset(lang.words(lang.FILLERS)) - _LINKS

_LABEL = re.compile(r"[\s\"')\]]*+(?:\([^()\n]{0,40}\)\s*+)?(?:(?:to|for)\b[^.:?!\n]{0,50})?[:=|>{→–—-]")
_PARTICLE = re.compile(rf"(?P<negated>{lang.NEGATIVE_PARTICLES})|(?:{lang.PARTICLES})")
_CLAUSE = re.compile(r"[^.:;!?\n。；！？]{0,80}")
_WORD = re.compile(r"[^\s,()\[\]\"]+")
_HYPOTHETICAL = re.compile(
    r"(?:\b(?:if|whether|suppose|assuming|unless|don't think|doubt)\b[^,.;:\n]{0,25}|\b(?:to|not|cannot) )$"
)
_NOT = rf"[^\w?!]*+(?:{alternatives('|'.join(lang.NEGATIONS))})(?!\w)"
_NEGATED = re.compile(_NOT)
_CONTRAST = re.compile(
    rf"(?:{_NOT}){{0,4}}[^\w?!]*+{FILLERS_BEFORE}{TOKEN}[^\w?!]*+"
    rf"(?:(?:{alternatives(lang.CONTRASTS)})(?![^\W\d_])[\s,:]*+|而?是){{1,4}}"
)
_MARKS = frozenset(MARKS)
_NO_ANSWER = re.compile(rf"[^\w?!]*+(?:{alternatives(lang.NO_ANSWERS)})")
_END_OF_TEXT = re.compile(r"\n|</|\",")

_SENTENCE = re.compile(r"(?:[\n;?!。；！？]|[^\W\d_]{2}\.)\s*")
_LABELLED = re.compile(
    rf"(?:(?P<noun>(?<!\w)(?i:{alternatives(lang.OPTIONS)}|answer)[ \t(\[]*)|(?<![\w'])[(\[]|^\W*"
    rf"|\b(?i:so|thus|therefore|hence|that|and|but|only|because)\s+)(?P<letter>{TOKEN})(?P<after>[).:\]]|\W*$)?"
)
_CONDITION = re.compile(r"\b(?:if|whether|neither|unless)\b", re.IGNORECASE)
_CLAUSE_REACH = 80
# So few characters are searched for any cue faster than for each.
_GLANCE = 100
# A megabyte of nothing but cues is no answer; as many as these are read in milliseconds.
_MOST_PLACES = 500

_Found = tuple[int, str | None]


class AnnouncementReader:
    """Finds answers in one text by what stands before or after them.

    An answer is a letter, or NO_LETTER where the text announces that it gives none; None means that nothing is found.
    """

    def __init__(self, letters: LetterReader, choices: Choices) -> None:
        self.letters = letters
        self.text = letters.text
        self.low = letters.low
        self.choices = choices

    def announced(self) -> str | None:
        """Return the last announced answer: "the answer is B"."""
        return self._last_after(_ANNOUNCING[self.low.isascii()])[1]

    def concluded(self) -> str | None:
        """Return the last conclusion or verdict: "so it's B", "B is right"."""
        conclusion = self._last_after(_CONCLUDING[self.low.isascii()])
        return max(conclusion, self._last_verdict(), key=itemgetter(0))[1]

    def _last_after(self, cues: _CueSet) -> _Found:
        """Return where the last cue stands that an answer follows, and the answer."""
        last: _Found = (-1, None)
        if self._holds_none(cues, 0):
            return last
        for cue in cues.cues:
            start = self.low.rfind(cue.word, last[0] + 1)
            if start >= 0:
                last = self._last_at(cue.word, start, last, partial(self._after, cue))
                if last[1] is not None and self._holds_none(cues, last[0] + 1):
                    break
        return last

    def _holds_none(self, cues: _CueSet, start: int) -> bool:
        """Tell whether a glance shows no cue from here on: most answers end the text, or are all of it."""
        return len(self.low) - start < _GLANCE and not cues.any_cue.search(self.low, start)

    def _last_verdict(self) -> _Found:
        """Return where the last verdict stands that a letter precedes, and the letter."""
        last: _Found = (-1, None)
        for verdict in _VERDICTS:
            start = self.low.rfind(verdict, last[0] + 1)
            if start >= 0:
                last = self._last_at(verdict, start, last, self._before)
        return last

    def _last_at(self, phrase: str, start: int, last: _Found, answer_at: Callable[[int], str | None]) -> _Found:
        """Return the last of a phrase's places, from `start` back to `last`, that gives an answer."""
        for _ in range(_MOST_PLACES):
            answer = answer_at(start)
            if answer is not None:
                return start, answer
            start = self.low.rfind(phrase, last[0] + 1, start + len(phrase) - 1)
            if start < 0:
                break
        return last

    def _after(self, cue: _Cue, start: int) -> str | None:
        """Return the answer that a cue at this place announces."""
        end = start + len(cue.word)
        if not self._is_whole_word(start, end):
            return None
        answers = (self._at(lead, cue.word) for lead in self._leads(cue, end))
        answer = next((answer for answer in answers if answer is not None), None)
        return None if answer is None or self._is_hypothetical(start) else answer

    def _is_hypothetical(self, start: int) -> bool:
        """Tell whether the clause does not say that something is so: "if the answer is B", "to answer B"."""
        return _HYPOTHETICAL.search(self.low, max(0, start - _CLAUSE_REACH), start) is not None

    def _is_whole_word(self, start: int, end: int) -> bool:
        """Tell whether a cue is no part of a longer word, nor a closing tag."""
        if not "a" <= self.low[start] < "\u0590":
            # Scripts from Hebrew on attach articles and particles.
            return self.low[end : end + 1] not in _MARKS
        before, after = self.text[start - 1 : start], self.text[end : end + 1]
        # In JSON, "finalAnswer" is two words.
        apart = not before.isalpha() or (before.islower() and self.text[start].isupper())
        ends = not (after.isalpha() and self.low[end - 1].isalpha()) or (
            after.isupper() and self.text[end - 1].islower()
        )
        return apart and ends and before != "/"

    def _leads(self, cue: _Cue, end: int) -> Iterator[_Lead]:
        """Yield where the letter may stand after a cue, the likeliest first."""
        if cue.reach and (label := _LABEL.match(self.low, end)):
            yield _Lead(label.end(), strict=False, negated=False)
        if cue.reach and (particle := _PARTICLE.match(self.low, end)):
            yield _Lead(particle.end(), strict=False, negated=particle["negated"] is not None)
        if cue.reach:
            yield from self._leads_after_words(cue.reach, end)
        if cue.direct:
            yield _Lead(end, strict=True, negated=False)

    def _leads_after_words(self, reach: int, end: int) -> Iterator[_Lead]:
        """Yield where the letter may stand after some words of the cue's clause: after "is", or "option"."""
        negated, qualified = False, True
        clause = _CLAUSE.match(self.low, end)
        words = _WORD.finditer(self.low, end, clause.end() if clause else end)
        for _, word in zip(range(reach), words, strict=False):
            text = word[0].strip("'")
            if text in lang.HEDGES:
                return
            negated = negated or text in lang.NEGATIONS
            qualified = qualified and text in lang.QUALIFIERS
            if qualified and (label := _LABEL.match(self.low, word.end())):
                yield _Lead(label.end(), strict=False, negated=negated)
            elif text in _LINKS:
                yield _Lead(word.end(), strict=False, negated=negated)
            elif text in _OPTION_WORDS:
                yield _Lead(word.end(), strict=True, negated=negated)

    def _at(self, lead: _Lead, cue: str) -> str | None:
        """Return the answer that stands at a place: an option's text, a letter, or a word that says there is none."""
        if lead.negated or _NEGATED.match(self.low, lead.position):
            contrast = _CONTRAST.match(self.low, lead.position)
            return self._named(contrast.end(), cue, strict=lead.strict) if contrast else None
        answer = self._named(lead.position, cue, strict=lead.strict)
        if answer is None and not lead.strict and _NO_ANSWER.match(self.low, lead.position):
            return NO_LETTER
        return answer

    def _named(self, position: int, cue: str, *, strict: bool) -> str | None:
        """Return the answer that stands at a place by its text or its letter."""
        return self._option_text(position) or self.letters.read(position, strict=strict, cue=cue)

    def _option_text(self, position: int) -> str | None:
        """Return the letter of the option whose text stands here, up to the end of the line or of the sentence."""
        if not self.choices.by_text:
            return None
        beginning = self.text[position : position + self.choices.reach].lstrip(" \t\n:=\"'{")
        line = _END_OF_TEXT.split(beginning, maxsplit=1)[0]
        # A hyphen right before it was read as a dash, but "-1" and "1" may be two options.
        signed = self.text[position - 1 : position] == "-" and not self.text[position : position + 1].isspace()
        signs = ("-", "") if signed else ("",)
        texts = [sign + text for sign in signs for text in (line, line.partition(". ")[0])]
        return next(filter(None, map(self.choices.named, texts)), None)

    def _before(self, end: int) -> str | None:
        """Return the letter of the option that a clause up to this place is about."""
        clause = self.text[max(0, end - _CLAUSE_REACH) : end]
        clause = clause[max((mark.end() for mark in _SENTENCE.finditer(clause)), default=0) :]
        if _CONDITION.search(clause):
            return None
        about = None
        for label in _LABELLED.finditer(clause):
            token = label["letter"]
            if (label["noun"] or label["after"] is not None) and (token.isupper() or label["after"] == ")"):
                about = self.letters.resolve(token, clause) or about
        return about
