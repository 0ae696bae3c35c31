"""Finds the letter that a completion announces ("the answer is B"), concludes with, or calls correct."""

# ruff: noqa: RUF001 -- punctuation of other scripts

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from openbench.scorers.extraction.choices import Choices
from openbench.scorers.extraction.letters import MARKS, NO_LETTER, LetterReader, alternatives, letter_patterns
from openbench.scorers.language import Language


class _Cue(NamedTuple):
    """A phrase that announces an answer.

    Attributes:
        word: The phrase, in lower case.
        precedes: Whether the letter stands after the cue; a verdict follows its letter.
        reach: The number of words after it among which "is" may stand.
        direct: Whether the letter may follow at once, if the clause ends after it ("answer B", "I choose B").
    """

    word: str
    precedes: bool = True
    reach: int = 0
    direct: bool = True


class _Lead(NamedTuple):
    """Where a letter may stand after a cue, whether the clause must end after it, and whether the cue is negated."""

    position: int
    strict: bool = False
    negated: bool = False


# A megabyte of nothing but cues is not an answer; this many are read in milliseconds.
_MOST_PLACES = 300
_CLAUSE_REACH = 80
# The number of characters before a letter that may hold what an option is called.
_NOUN_REACH = 24

_COLON = r"(?:(?:to|for)\b[^.:?!\n]{0,50})?[:=|>→–—-]"
_LABEL = re.compile(rf"[\s\"')\]]*+(?:\([^()\n]{{0,40}}\)\s*+)?{_COLON}|(?:(?<=boxed)|(?<=fbox))\s*+\{{")
_CLAUSE = re.compile(r"[^.:;!?\n。；！？]{0,80}")
_WORD = re.compile(r"[^\s,()\[\]\"]+")
# Before a cue: the clause does not state an answer, or states that of someone else.
_NOT_STATED = re.compile(
    r"(?:\b(?:if|whether|suppose|assuming|unless|don't think|doubt)\b[^,.;:\n]{0,25}|\b(?:to|not|cannot) "
    r"|\b(?:wrong|incorrect|previous|user's|student's|many|some|people|others)"
    r"(?: (?:people|students|would|might|may|often|final|given))* )$"
)
_END_OF_TEXT = re.compile(r"\n|</|\",")
_SENTENCE = re.compile(r"(?:[\n;?!。；！？]|[^\W\d_]{2}\.)\s*")
_OPENING = re.compile(
    r"\W*$|.*(?:(?<![\w'])[(\[]|\b(?:so|thus|therefore|hence|that|and|but|only|because)\s+)$", re.DOTALL
)
_CONDITION = re.compile(r"\b(?:if|whether|neither|unless)\b", re.IGNORECASE)


class _Patterns:
    """The cues, words and patterns of announcements in a language."""

    def __init__(self, language: Language) -> None:
        token = letter_patterns(language).token
        fillers_before = letter_patterns(language).fillers_before
        self.announcing = [
            *(_Cue(word, reach=12) for word in language.answers.split("|")),
            *(_Cue(word, reach=4, direct=False) for word in language.options.split("|")),
            *(_Cue(word) for word in language.choices.split("|")),
        ]
        self.concluding = [
            *(_Cue(word) for word in language.conclusions.split("|")),
            *(_Cue(word, precedes=False) for word in language.verdicts.split("|")),
        ]
        self.links = frozenset(language.links.split("|"))
        self.option_words = frozenset(f"{language.options}|{language.nouns}".split("|")) - self.links
        self.joiners = frozenset(language.joiners.split("|")) - self.links
        self.negations = frozenset(language.negations.split("|"))
        self.hedges = frozenset(language.hedges.split("|"))
        self.qualifiers = frozenset(language.qualifiers.split("|"))
        # After "is", a letter in brackets is the answer, and a minus sign or dash after it begins the option's text.
        self.label_after_link = re.compile(rf"[\s\"')\]]*+(?:\((?!{token}\))[^()\n]{{0,40}}\)\s*+)?{_COLON}")
        self.particle = re.compile(rf"(?P<negated>{language.negative_particles})|(?:{language.particles})")
        negated = rf"[^\w?!]*+(?:{alternatives(language.negations)})(?!\w)"
        self.negated = re.compile(negated)
        self.contrast = re.compile(
            rf"(?:{negated}){{0,4}}[^\w?!]*+{fillers_before}{token}[^\w?!]*+"
            rf"(?:(?:{alternatives(language.contrasts)})(?![^\W\d_])[\s,:]*+|{language.unspaced_contrasts}){{1,4}}"
        )
        self.no_answer = re.compile(rf"[^\w?!]*+(?:{alternatives(language.no_answers)})")
        # Chinese, Japanese and Korean put no space before the letter.
        self.label_of_option = re.compile(
            rf"(?<![^\W\u3040-\u9fff\uac00-\ud7a3])(?P<letter>{token})(?P<after>[).:\]]|\W*$)?"
        )
        self.noun_before = re.compile(rf"(?<!\w)(?:{alternatives(language.options)}|answer)[ \t(\[]*$")
        self.denied = re.compile(rf"[^\S\n]*+(?:{language.denials})(?![\w{MARKS}])")


_patterns = cache(_Patterns)


def _places(low: str, cues: list[_Cue]) -> list[tuple[int, _Cue]]:
    """Return where the last of some cues stand in a text in lower case, from the end on."""
    found: list[tuple[int, int, _Cue]] = []
    for rank, cue in enumerate(cues):
        if cue.word in low:
            starts = (match.start() for match in re.finditer(re.escape(cue.word), low))
            found += ((start, -rank, cue) for start in list(starts)[-_MOST_PLACES:])
    found.sort(reverse=True)
    return [(start, cue) for start, _, cue in found[:_MOST_PLACES]]


class AnnouncementReader:
    """Finds answers in one text by what stands before or after them.

    An answer is a letter, or NO_LETTER where the text announces that it gives none; None means that nothing is found.

    Args:
        letters: Reads the text's letters.
        choices: The valid answers.
        language: The language of the announcements.
    """

    def __init__(self, letters: LetterReader, choices: Choices, language: Language) -> None:
        self.letters = letters
        self.text = letters.text
        self.low = letters.low
        self.choices = choices
        self._patterns = _patterns(language)

    def announced(self) -> str | None:
        """Return the last announced answer: "the answer is B"."""
        return self._last(self._patterns.announcing)

    def concluded(self) -> str | None:
        """Return the last conclusion or verdict: "so it's B", "B is right"."""
        return self._last(self._patterns.concluding)

    def _last(self, cues: list[_Cue]) -> str | None:
        for start, cue in _places(self.low, cues):
            end = start + len(cue.word)
            answer = self._after(cue, start, end) if cue.precedes else self._before(start, end)
            if answer is not None:
                return answer
        return None

    def _after(self, cue: _Cue, start: int, end: int) -> str | None:
        """Return the answer that a cue between these places announces."""
        if not self._is_whole_word(start, end):
            return None
        for lead in self._leads(cue, end):
            answer = self._at(lead, cue.word)
            if answer is not None:
                return None if _NOT_STATED.search(self.low[max(0, start - _CLAUSE_REACH) : start]) else answer
        return None

    def _is_whole_word(self, start: int, end: int) -> bool:
        """Return whether a cue is not part of a longer word, a closing tag, or negated by a Chinese prefix."""
        before, after = self.low[start - 1 : start], self.low[end : end + 1]
        if not "a" <= self.low[start] < "\u0590":
            # Scripts from Hebrew on attach articles and particles.
            return (after == "" or after not in MARKS) and before != "不"
        return not before.isalpha() and before != "/" and not (after.isalpha() and self.low[end - 1].isalpha())

    def _leads(self, cue: _Cue, end: int) -> Iterator[_Lead]:
        """Yield where the letter may stand after a cue, the likeliest first."""
        if cue.reach:
            if label := _LABEL.match(self.low, end):
                yield _Lead(label.end())
            if particle := self._patterns.particle.match(self.low, end):
                yield _Lead(particle.end(), negated=particle["negated"] is not None)
            yield from self._leads_after_words(cue, end)
        if cue.direct:
            yield _Lead(end, strict=True)

    def _leads_after_words(self, cue: _Cue, end: int) -> Iterator[_Lead]:
        """Yield where the letter may stand after some words of the cue's clause: after "is", or "option"."""
        negated, qualified, known = False, True, self._patterns
        clause = _CLAUSE.match(self.low, end)
        for word in islice(_WORD.finditer(self.low, end, clause.end() if clause else end), cue.reach):
            text = word[0].strip("'")
            if text in known.hedges or (text in known.joiners and not cue.direct):
                return
            negated = negated or text in known.negations
            qualified = qualified and text in known.qualifiers
            if qualified and (label := known.label_after_link.match(self.low, word.end())):
                yield _Lead(label.end(), negated=negated)
            elif text in known.links:
                yield _Lead(word.end(), negated=negated)
            elif text in known.option_words:
                yield _Lead(word.end(), strict=True, negated=negated)

    def _at(self, lead: _Lead, cue: str) -> str | None:
        """Return the answer at a place: an option's text, a letter, or NO_LETTER for a word that names none."""
        position, strict, negated = lead
        # A text such as "No" or "Cannot be determined" negates nothing.
        if not negated and (named := self._option_text(position)) is not None:
            return named
        if negated or self._patterns.negated.match(self.low, position):
            contrast = self._patterns.contrast.match(self.low, position)
            if not contrast:
                return None
            named = self._option_text(contrast.end())
            return self.letters.read(contrast.end(), strict=strict, cue=cue) if named is None else named
        answer = self.letters.read(position, strict=strict, cue=cue)
        if answer is None and not strict and self._patterns.no_answer.match(self.low, position):
            return NO_LETTER
        return answer

    def _option_text(self, position: int) -> str | None:
        """Return the letter of the option whose text stands here, up to the end of the line or of the sentence.

        NO_LETTER where the letter of another option stands after it.
        """
        if not self.choices.reach:
            return None
        beginning = self.text[position : position + self.choices.reach].lstrip(" \t\n:=\"'{")
        line = _END_OF_TEXT.split(beginning, maxsplit=1)[0]
        # A hyphen right before it was read as a dash, but "-1" and "1" may be two options.
        signed = self.text[position - 1 : position] == "-" and not self.text[position : position + 1].isspace()
        signs = ("-", "") if signed else ("",)
        texts = [sign + text for sign in signs for text in (line, line.partition(". ")[0])]
        named = next(filter(None, map(self.choices.named, dict.fromkeys(texts))), None)
        return self.choices.named_with_letter(line) if named is None else named

    def _before(self, end: int, rest: int) -> str | None:
        """Return the letter of the option that a clause is about whose verdict stands between these places."""
        if self._patterns.denied.match(self.low, rest):
            return None
        clause = self.text[max(0, end - _CLAUSE_REACH) : end]
        clause = clause[max((mark.end() for mark in _SENTENCE.finditer(clause)), default=0) :]
        if _CONDITION.search(clause):
            return None
        about = None
        for label in self._patterns.label_of_option.finditer(clause):
            token, after, start = label["letter"], label["after"], label.start()
            if token.islower() and after != ")":
                continue
            before = clause[:start].lower()
            if self._patterns.noun_before.search(before, max(0, start - _NOUN_REACH)) or (
                after is not None and _OPENING.match(before)
            ):
                about = self.letters.resolve(token, clause) or about
        return about
