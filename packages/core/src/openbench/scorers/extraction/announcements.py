"""Finds the letter that a completion announces ("the answer is B"), concludes with, or calls correct."""

# ruff: noqa: RUF001 -- punctuation of other scripts

import re
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

from openbench.scorers.cleaning import FIRST_WORD
from openbench.scorers.extraction.choices import Choices
from openbench.scorers.extraction.cues import Cue, Stretch, ascii_words, cue_table
from openbench.scorers.extraction.letters import MARKS, NO_LETTER, LetterReader, alternatives, letter_patterns
from openbench.scorers.language import Language


class _Lead(NamedTuple):
    """Where a letter may stand after a cue, whether the clause must end after it, and whether the cue is negated."""

    position: int
    strict: bool
    negated: bool


# Where a sentence just goes on after a cue, no letter follows it.
_PROSE = re.compile("[a-z ]*+")
_COLON = r"(?:(?:to|for)\b[^.:?!\n]{0,50})?[:=|>→–—-]"
_LABEL = re.compile(rf"[\s\"')\]]*+(?:\([^()\n]{{0,40}}\)\s*+)?{_COLON}|(?:(?<=boxed)|(?<=fbox))\s*+\{{")
_CLAUSE = re.compile(r"[^.:;!?\n。；！？]{0,80}")
_WORD = re.compile(r"[^\s,()\[\]\"]+")
_HYPOTHETICAL = re.compile(
    r"(?:\b(?:if|whether|suppose|assuming|unless|don't think|doubt)\b[^,.;:\n]{0,25}|\b(?:to|not|cannot) )$"
)
# The pattern above takes long; without one of these words it finds nothing.
_CONDITIONS = frozenset(b"if whether suppose assuming unless think doubt to not cannot".split())
# Whose answer it is that the cue is about, if not the one that is asked for.
_OF_OTHERS = re.compile(
    r"\b(?:wrong|incorrect|previous|user's|student's|many|some|people|others)"
    r"(?: (?:people|students|would|might|may|often|final|given))* $"
)
_OTHERS = frozenset(b"wrong incorrect previous user student many some people others".split())
# What most announcements come down to, which needs no more thought.
_CLEAR = re.compile(r"(?: is:?| ?:) *+(?P<open>\()?(?P<letter>[A-Z])(?(open)\))\.?(?:\n|$)")
_MARKS = frozenset(MARKS)
_END_OF_TEXT = re.compile(r"\n|</|\",")
_SENTENCE = re.compile(r"(?:[\n;?!。；！？]|[^\W\d_]{2}\.)\s*")
_OPENING = re.compile(
    r"\W*$|.*(?:(?<![\w'])[(\[]|\b(?:so|thus|therefore|hence|that|and|but|only|because)\s+)$", re.DOTALL
)
# The number of characters before a letter that may hold what an option is called.
_NOUN_REACH = 24
_CONDITION = re.compile(r"\b(?:if|whether|neither|unless)\b", re.IGNORECASE)
_CLAUSE_REACH = 80


class _Patterns:
    """The words and patterns of announcements in a language."""

    def __init__(self, language: Language) -> None:
        letters = letter_patterns(language)
        token = letters.token
        self.links = frozenset(language.links.split("|"))
        self.option_words = frozenset(f"{language.options}|{language.nouns}".split("|")) - self.links
        self.joiners = frozenset(language.joiners.split("|")) - self.links
        self.negations = frozenset(language.negations.split("|"))
        self.hedges = frozenset(language.hedges.split("|"))
        self.qualifiers = frozenset(language.qualifiers.split("|"))
        # Words that matter between a cue and its letter; others are passed over.
        self.telling = self.links | self.joiners | self.option_words | self.hedges | self.negations | self.qualifiers
        self.steps = self.links | self.option_words | {"to", "for"}
        # After "is", a letter in brackets is the answer, and a minus sign or dash after it begins the option's text.
        self.label_after_link = re.compile(rf"[\s\"')\]]*+(?:\((?!{token}\))[^()\n]{{0,40}}\)\s*+)?{_COLON}")
        self.particle = re.compile(rf"(?P<negated>{language.negative_particles})|(?:{language.particles})")
        negated = rf"[^\w?!]*+(?:{alternatives(language.negations)})(?!\w)"
        self.negated = re.compile(negated)
        self.contrast = re.compile(
            rf"(?:{negated}){{0,4}}[^\w?!]*+{letters.fillers_before}{token}[^\w?!]*+"
            rf"(?:(?:{alternatives(language.contrasts)})(?![^\W\d_])[\s,:]*+|{language.unspaced_contrasts}){{1,4}}"
        )
        self.no_answer = re.compile(rf"[^\w?!]*+(?:{alternatives(language.no_answers)})")
        words = f"{language.negations}|{language.no_answers}".split("|")
        self.telling_starts = frozenset(match[1] for word in words if (match := FIRST_WORD.match(word)))
        # Chinese, Japanese and Korean put no space before the letter.
        self.label_of_option = re.compile(
            rf"(?<![^\W\u3040-\u9fff\uac00-\ud7a3])(?P<letter>{token})(?P<after>[).:\]]|\W*$)?"
        )
        self.noun_before = re.compile(rf"(?<!\w)(?:{alternatives(language.options)}|answer)[ \t(\[]*$")
        self.denied = re.compile(rf"[^\S\n]*+(?:{language.denials})(?![\w{MARKS}])")


@cache
def _patterns(language: Language) -> _Patterns:
    return _Patterns(language)


class AnnouncementReader:
    """Finds answers in one text by what stands before or after them.

    An answer is a letter, or NO_LETTER where the text announces that it gives none; None means that nothing is found.

    Args:
        letters: Reads the text's letters.
        choices: The valid answers.
        end: The position where the end of the text begins, which is searched first, since most answers are there.
        language: The language of the announcements.
    """

    def __init__(self, letters: LetterReader, choices: Choices, end: int, language: Language) -> None:
        self.letters = letters
        self.text = letters.text
        self.low = letters.low
        self.choices = choices
        self._patterns = _patterns(language)
        self._table = cue_table(language)
        self._end = Stretch(self.low, end, len(self.low), self._table)

    def announced_at_end(self) -> str | None:
        """Return the last answer that is announced at the end of the text."""
        return self._last(self._end, announcing=True)

    def announced(self) -> str | None:
        """Return the last announced answer: "the answer is B"."""
        answer = self.announced_at_end()
        return self._last(self._rest, announcing=True) if answer is None else answer

    def concluded(self) -> str | None:
        """Return the last conclusion or verdict: "so it's B", "B is right"."""
        answer = self._last(self._end, announcing=False)
        return self._last(self._rest, announcing=False) if answer is None else answer

    @cached_property
    def _rest(self) -> Stretch | None:
        """What stands before the end, if anything does."""
        return Stretch(self.low, 0, self._end.first, self._table) if self._end.first else None

    def _last(self, stretch: Stretch | None, *, announcing: bool) -> str | None:
        """Return the last answer that a cue gives, one that announces or one that does not."""
        for start, _, cue in stretch.places(announcing=announcing) if stretch else ():
            answer = self._after(cue, start) if cue.precedes else self._before(start, start + len(cue.word))
            if answer is not None:
                return answer
        return None

    def _after(self, cue: Cue, start: int) -> str | None:
        """Return the answer that a cue at this place announces."""
        end = start + len(cue.word)
        reach = 0 if cue.reach and self._goes_on(cue.reach, end) else cue.reach
        if not (reach or (cue.direct and not self._says_else(end))) or not self._is_whole_word(start, end):
            return None
        if not reach:
            answer = self._at(_Lead(end, strict=True, negated=False), cue.word)
            return None if answer is None or self._is_not_stated(start) else answer
        if answer := self._clear(end):
            return None if self._is_not_stated(start) else answer
        for lead in self._leads(reach, end, direct=cue.direct):
            answer = self._at(lead, cue.word)
            if answer is not None:
                return None if self._is_not_stated(start) else answer
        return None

    def _clear(self, end: int) -> str | None:
        """Return the letter that a cue announces, and ends the line with, as most do: ": B", " is (B)."."""
        match = _CLEAR.match(self.text, end)
        return match["letter"] if match and match["letter"] in self.choices.letters else None

    def _is_not_stated(self, start: int) -> bool:
        """Return whether the clause does not state an answer: "if the answer is B", "the wrong answer is B"."""
        before = self.low[max(0, start - _CLAUSE_REACH) : start]
        words = ascii_words(before)
        return (not _CONDITIONS.isdisjoint(words) and _HYPOTHETICAL.search(before) is not None) or (
            not _OTHERS.isdisjoint(words) and _OF_OTHERS.search(before) is not None
        )

    def _is_whole_word(self, start: int, end: int) -> bool:
        """Return whether a cue is not part of a longer word, a closing tag, or negated by a Chinese prefix."""
        if not "a" <= self.low[start] < "\u0590":
            # Scripts from Hebrew on attach articles and particles.
            return self.low[end : end + 1] not in _MARKS and self.low[start - 1 : start] != "不"
        before, after = self.low[start - 1 : start], self.low[end : end + 1]
        return not before.isalpha() and before != "/" and not (after.isalpha() and self.low[end - 1].isalpha())

    def _leads(self, reach: int, end: int, *, direct: bool) -> Iterator[_Lead]:
        """Yield where the letter may stand after a cue, the likeliest first."""
        if label := _LABEL.match(self.low, end):
            yield _Lead(label.end(), strict=False, negated=False)
        if particle := self._patterns.particle.match(self.low, end):
            yield _Lead(particle.end(), strict=False, negated=particle["negated"] is not None)
        yield from self._leads_after_words(reach, end, direct=direct)
        if direct:
            yield _Lead(end, strict=True, negated=False)

    def _goes_on(self, reach: int, end: int) -> bool:
        """Return whether a cue is followed by other words alone, as far as "is" may stand."""
        prose = _PROSE.match(self.low, end, end + _CLAUSE_REACH)
        words = prose[0].split(" ", reach + 1) if prose else []
        return len(words) > reach + 1 and not words[0] and words[-1] != "" and self._patterns.steps.isdisjoint(words)

    def _leads_after_words(self, reach: int, end: int, *, direct: bool) -> Iterator[_Lead]:
        """Yield where the letter may stand after some words of the cue's clause: after "is", or "option"."""
        negated, qualified, known = False, True, self._patterns
        clause = _CLAUSE.match(self.low, end)
        words = _WORD.finditer(self.low, end, clause.end() if clause else end)
        for word in islice(words, reach):
            text = word[0].strip("'")
            if text not in known.telling:
                qualified = False
                continue
            if text in known.hedges or (text in known.joiners and not direct):
                return
            negated = negated or text in known.negations
            qualified = qualified and text in known.qualifiers
            if qualified and (label := known.label_after_link.match(self.low, word.end())):
                yield _Lead(label.end(), strict=False, negated=negated)
            elif text in known.links:
                yield _Lead(word.end(), strict=False, negated=negated)
            elif text in known.option_words:
                yield _Lead(word.end(), strict=True, negated=negated)

    def _at(self, lead: _Lead, cue: str) -> str | None:
        """Return the answer at a place: an option's text, a letter, or NO_LETTER for a word that names none."""
        if self._says_else(lead.position):
            return None
        # A text such as "No" or "Cannot be determined" negates nothing.
        if not lead.negated and (named := self._option_text(lead.position)) is not None:
            return named
        if lead.negated or self._patterns.negated.match(self.low, lead.position):
            contrast = self._patterns.contrast.match(self.low, lead.position)
            return self._named(contrast.end(), cue, strict=lead.strict) if contrast else None
        answer = self.letters.read(lead.position, strict=lead.strict, cue=cue)
        if answer is None and not lead.strict and self._patterns.no_answer.match(self.low, lead.position):
            return NO_LETTER
        return answer

    def _says_else(self, position: int) -> bool:
        """Return whether a word stands here that does not begin an answer."""
        word = FIRST_WORD.match(self.low, position)
        if word is None or word[1] in self._patterns.telling_starts or word[1] in self.choices.first_words:
            return False
        return not self.letters.patterns.begins_filler(word[1])

    def _named(self, position: int, cue: str, *, strict: bool) -> str | None:
        """Return the answer that stands at a place by its text or its letter."""
        named = self._option_text(position)
        return self.letters.read(position, strict=strict, cue=cue) if named is None else named

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
