"""Extracts the answer to a multiple-choice question from a completion: `extract_mcq_answer`."""

# ruff: noqa: RUF001 -- punctuation of other scripts

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from string import ascii_uppercase
from typing import NamedTuple

from openbench.scorers.answer_phrases import COLON, ENGLISH, LEFT, MARKS, RIGHT, Cue, Language, patterns_of
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning

_LETTERS = frozenset(ascii_uppercase)
_OPTION = r"(?:(?:option|choice|answer) )?"
_LETTER_AFTER = re.compile(
    rf"[(\[]{_OPTION}(?P<enclosed>[A-Za-z])[)\]]"
    rf"|,? (?:i\.e\.|that is),? {_OPTION}[(\[]?(?P<repeated>[A-Z])(?![\w'-]| \w)"
)

NO_LETTER = ""
"""An announced answer that is not one letter: "Answer: A and C", "Answer: none of the above"."""


def extract_mcq_answer(
    completion: str,
    letters: Sequence[str] | None = None,
    options: Sequence[str] | None = None,
    *,
    language: Language = ENGLISH,
) -> str | None:
    r"""Return the letter of the option that is a completion's final answer.

    - Reasoning between `<think>`, `<thinking>` or `<reasoning>` tags does not count, nor after an unclosed one, nor in
      any channel but the final one. Nor does a base model's run-on: what follows a heading "Question 2:" or "Q:", a
      heading "Problem:" or "Context:" after an answer, or the end of a turn of a chat.
    - A completion that is an option's text gives its letter, and so does an option's text after a cue ("Answer:
      Paris"). Case, spacing, markup and punctuation around it do not matter. A text of two options gives none, nor
      does the text of one with the letter of another ("Paris (C)").
    - The last announced answer wins: "Answer: B", "the answer is (B)", `\boxed{B}`, `"answer": "B"`, "I choose B",
      and likewise in other languages. "Not B but C" announces C. To announce several letters ("A and C"), none of the
      options or ignorance is to give no answer. Nobody else's answer counts ("the wrong answer is A").
    - Without an announced answer, the last verdict or conclusion counts: "Option B is right", "so it's B".
    - Without these, the one option counts that a list of options marks as correct ("A: wrong", "B: right").
    - Otherwise a letter counts that stands alone on the last or the first line, or begins it ("B) Paris") and is not
      part of a list of the options; so does an option's text.
    - Letters are Latin, full-width or of the language. A letter that is also a word ("A", "I", any in lower case) must
      be marked as a letter: by brackets, or by the end of the clause or a "because" after it.

    Args:
        completion: The model's answer.
        letters: The valid letters, from A to Z; others are ignored. By default one for each option, or all.
        options: The options' texts, in the order of the letters.
        language: The language of the announcements; see `openbench.scorers.answer_phrases`.

    Returns:
        The letter in upper case, or None if the completion gives no answer.
    """
    choices = Choices(letters, options)
    text = plain(cut_run_on(strip_reasoning(completion), language)).strip()
    if named := choices.named(text):
        return named
    reader = Reader(text, choices, language)
    for find in (reader.announced, reader.concluded, reader.marked, reader.bare):
        answer = find()
        if answer is not None:
            return answer or None
    return None


class Choices:
    """The valid letters and the texts of the options; by default one letter for each option, or all.

    `reach` is an upper bound for the characters of an option's text in a completion.
    """

    def __init__(self, letters: Sequence[str] | None, options: Sequence[str] | None) -> None:
        if letters is None:
            letters = ascii_uppercase if options is None else ascii_uppercase[: len(options)]
        self._listed = [plain(letter).upper() for letter in letters]
        self._options = options or ()
        self.letters = _LETTERS.intersection(self._listed)
        # Twice the length leaves room for spaces and brackets.
        self.reach = 2 * max(map(len, self._options)) + 32 if options else 0

    @cached_property
    def _by_text(self) -> dict[str, str]:
        """The letter of each option's text; "" if several options share the text."""
        by_text: dict[str, str] = {}
        for letter, option in zip(self._listed, self._options, strict=False):
            key = _key(plain(option))
            by_text[key] = "" if key in by_text or letter not in self.letters else letter
        by_text.pop("", None)
        return by_text

    def named(self, text: str) -> str | None:
        """Return the letter of the option with this text; a single letter is a label, not a text."""
        if len(text) > self.reach:
            return None
        key = _key(text)
        if key.upper() in self.letters:
            return None
        letter = self._by_text.get(key)
        if not letter and (bare := key.strip("()[]")) != key:
            letter = self._by_text.get(_key(bare))
        return letter or None

    def named_with_letter(self, text: str) -> str | None:
        """Return the letter of an option's text with a letter after it: "Paris (B)", "9, i.e. B".

        Returns NO_LETTER if the letter is that of another option.
        """
        match = _LETTER_AFTER.search(text)
        letter = (match["enclosed"] or match["repeated"]).upper() if match else ""
        if not match or letter not in self.letters:
            return None
        named = self.named(text[: match.start()])
        return NO_LETTER if named and named != letter else named


def _key(text: str) -> str:
    """Return the normal form of an option's text, in which texts are compared."""
    return " ".join(text.lower().split()).strip(" .,;:!?\"'{}<>…。、؟।")


class _Lead(NamedTuple):
    """A position after a cue for a letter, whether the clause must end after it, and whether the cue is negated."""

    position: int
    strict: bool = False
    negated: bool = False


# A limit for completions with thousands of cues; this many are read in milliseconds.
_MOST_PLACES = 300
_CLAUSE_REACH = 80
# The number of characters before a letter in which "option" and the like are searched.
_NOUN_REACH = 24

_LABEL = re.compile(rf"[\s\"')\]]*+(?:\([^()\n]{{0,40}}\)\s*+)?{COLON}|(?:(?<=boxed)|(?<=fbox))\s*+\{{")
_CLAUSE = re.compile(r"[^.:;!?\n。；！？]{0,80}")
_WORD = re.compile(r"[^\s,()\[\]\"]+")
# Before a cue: the clause does not state an answer, or states someone else's.
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
# After a letter, in lower case.
_COMPARED = re.compile(r"[^\S\n]*+(?:[<>]\s?-?\d|>\s?[a-z]\b)")
_FORMULA = re.compile(r"[^\S\n]*+(?:=(?!>)|[\^≈]|[+×÷·]\s?\w|\\(?!n\b)[a-z])")
# Capitals that are words of English and Romance languages.
_WORDS = "AIO"
# From this script on, single letters are hardly words, unlike in Cyrillic, Hebrew and Arabic.
_INDIC = "\u0900"
_LIST_REACH = 400
# Words before a letter that is mentioned rather than a label: "this rules out B."
_NO_MENTION = "".join(
    rf"(?<!\b{word})"
    for word in ["not", "than", "out", "option", "choice", "be", "is", "choose", "pick", "or", "and", "answer"]
)
# In a dialogue of "Q:" and "A:" this A is not an option.
_ANSWERER = re.compile(r"A: *+")
_MARKED = re.compile(
    r"^[^\w\n]*+(?P<letter>[A-Za-z])[).:][^\w\n]*+(?i:(?P<right>correct|right)|incorrect|wrong)[^\w\n]*+$", re.MULTILINE
)


def _places(low: str, cues: list[Cue]) -> list[tuple[int, Cue]]:
    """Return the positions of the last cues in a lower-case text, from the end backwards."""
    found: list[tuple[int, int, Cue]] = []
    for rank, cue in enumerate(cues):
        if cue.word in low:
            starts = (match.start() for match in re.finditer(re.escape(cue.word), low))
            found += ((start, -rank, cue) for start in list(starts)[-_MOST_PLACES:])
    found.sort(reverse=True)
    return [(start, cue) for start, _, cue in found[:_MOST_PLACES]]


class Reader:
    """Finds the answer in a text.

    The answer is a letter, or NO_LETTER if the text announces none or several; None means that there is none here.
    """

    def __init__(self, text: str, choices: Choices, language: Language) -> None:
        self.text = text
        self.low = text.lower()
        self.choices = choices
        self._language = language
        self._patterns = patterns_of(language)

    def announced(self) -> str | None:
        """Return the last announced answer: "the answer is B"."""
        return self._last(self._patterns.announcing)

    def concluded(self) -> str | None:
        """Return the last conclusion or verdict: "so it's B", "B is right"."""
        return self._last(self._patterns.concluding)

    def marked(self) -> str | None:
        """Return the letter of the one option that a list of options, one per line, marks as correct."""
        right: set[str] = set()
        wrong: set[str] = set()
        for mark in _MARKED.finditer(self.text):
            (right if mark["right"] else wrong).add(mark["letter"].upper())
        return right.pop() if len(right) == 1 and wrong and right <= self.choices.letters - wrong else None

    def bare(self) -> str | None:
        """Return the letter on the last line, or else on the first line."""
        for line in dict.fromkeys((self.text.rfind("\n") + 1, 0)):
            start = self._beginning(line)
            if start > line and (named := self.choices.named(self._line(start))):
                return named
            if (named := self._named_alone(line)) is not None:
                return named
            answer = self._read(start, strict=True)
            labels = {label.upper() for label in self._patterns.line_label.findall(self.text)}
            if answer is not None and (len(labels) <= 1 or self._patterns.alone.match(self.low, start)):
                return answer
        return None

    def _beginning(self, line: int) -> int:
        """Return where a line's content begins: after an "A:" that means "answer" rather than an option."""
        answerer = _ANSWERER.match(self.text, line)
        start = answerer.end() if answerer else line
        return start if self._patterns.label.match(self.text, start) or self.choices.named(self._line(start)) else line

    def _named_alone(self, start: int) -> str | None:
        """Return the letter of the option whose text, or text and letter, is a whole line outside a list of options."""
        line = self._line(start)
        named = self.choices.named(line) or self.choices.named_with_letter(line)
        if named is None:
            return None
        above = self.text[:start].rstrip().rpartition("\n")[2]
        below = self.text[start + len(line) :].lstrip().partition("\n")[0]
        return None if self.choices.named(above) or self.choices.named(below) else named

    def _line(self, start: int) -> str:
        """Return the rest of a line, or more of it than any option's text."""
        return self.text[start : start + self.choices.reach + 1].partition("\n")[0]

    def _last(self, cues: list[Cue]) -> str | None:
        for start, cue in _places(self.low, cues):
            end = start + len(cue.word)
            answer = self._after(cue, start, end) if cue.precedes else self._before(start, end)
            if answer is not None:
                return answer
        return None

    def _after(self, cue: Cue, start: int, end: int) -> str | None:
        """Return the answer that the cue between these positions announces."""
        if not self._is_whole_word(start, end):
            return None
        for lead in self._leads(cue, end):
            answer = self._at(lead, cue.word)
            if answer is not None:
                return None if _NOT_STATED.search(self.low[max(0, start - _CLAUSE_REACH) : start]) else answer
        return None

    def _is_whole_word(self, start: int, end: int) -> bool:
        """Return whether a cue is not part of another word, in a closing tag, or after a Chinese negation."""
        before, after = self.low[start - 1 : start], self.low[end : end + 1]
        if not "a" <= self.low[start] < "\u0590":
            # Scripts from Hebrew on attach articles and particles.
            return (after == "" or after not in MARKS) and before != "不"
        return not before.isalpha() and before != "/" and not (after.isalpha() and self.low[end - 1].isalpha())

    def _leads(self, cue: Cue, end: int) -> Iterator[_Lead]:
        """Yield the positions for a letter after a cue, the likeliest first."""
        if cue.reach:
            if label := _LABEL.match(self.low, end):
                yield _Lead(label.end())
            if particle := self._patterns.particle.match(self.low, end):
                yield _Lead(particle.end(), negated=particle["negated"] is not None)
            yield from self._leads_after_words(cue, end)
        if cue.direct:
            yield _Lead(end, strict=True)

    def _leads_after_words(self, cue: Cue, end: int) -> Iterator[_Lead]:
        """Yield the positions for a letter after words of the cue's clause such as "is" and "option"."""
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
        """Return the answer at a position: by an option's text, a letter, or NO_LETTER for words such as "none"."""
        position, strict, negated = lead
        # An option's text such as "No" or "Cannot be determined" is not a negation.
        if not negated and (named := self._option_text(position)) is not None:
            return named
        if negated or self._patterns.negated.match(self.low, position):
            contrast = self._patterns.contrast.match(self.low, position)
            if not contrast:
                return None
            named = self._option_text(contrast.end())
            return self._read(contrast.end(), strict=strict, cue=cue) if named is None else named
        answer = self._read(position, strict=strict, cue=cue)
        if answer is None and not strict and self._patterns.no_answer.match(self.low, position):
            return NO_LETTER
        return answer

    def _option_text(self, position: int) -> str | None:
        """Return the letter of the option whose text is here, up to the end of the line or the sentence.

        Returns NO_LETTER if the letter of another option follows it.
        """
        if not self.choices.reach:
            return None
        beginning = self.text[position : position + self.choices.reach].lstrip(" \t\n:=\"'{")
        line = _END_OF_TEXT.split(beginning, maxsplit=1)[0]
        # A hyphen before it was read as a dash, but it may be a sign: "-1" and "1" may be two options.
        signed = self.text[position - 1 : position] == "-" and not self.text[position : position + 1].isspace()
        signs = ("-", "") if signed else ("",)
        texts = [sign + text for sign in signs for text in (line, line.partition(". ")[0])]
        named = next(filter(None, map(self.choices.named, dict.fromkeys(texts))), None)
        return self.choices.named_with_letter(line) if named is None else named

    def _before(self, end: int, rest: int) -> str | None:
        """Return the letter of the option to which the verdict between these positions applies."""
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
                about = self._resolve(token, clause) or about
        return about

    def _read(self, position: int, *, strict: bool, cue: str = "") -> str | None:
        """Read the letter at a position, past brackets and words such as "option".

        With `strict`, for weak cues, the clause must end after it. Look-alike letters are read in the cue's script.
        Returns NO_LETTER if there are several letters, and None if there is none.
        """
        before = self._patterns.before.match(self.low, position)
        if not before or (strict and ("." in before["lead"] or ";" in before["lead"])):
            return None
        # A filler may be the letter itself.
        letters = self._patterns.letter
        match = letters.match(self.text, before.end()) or letters.match(self.text, before.end("lead"))
        if not match:
            return None
        letter = self._resolve(match["letter"], cue or self.text[position : match.start()].strip(" ("))
        if not letter or self._patterns.rejected.match(self.low, match.end()) or _COMPARED.match(self.low, match.end()):
            return None
        if self._names_another(match.end(), letter, cue):
            return NO_LETTER
        return letter if self._is_meant(match, strict=strict) else None

    def _is_meant(self, match: re.Match[str], *, strict: bool) -> bool:
        """Return whether a letter is an answer, rather than a word, a quantity or a label in a list."""
        token, start, end = match["letter"], match.start("letter"), match.end()
        if _FORMULA.match(self.low, end) or self._opens_list(token, start):
            return False
        if self.text[start - 1 : start] in tuple(LEFT) and self.text[end : end + 1] in tuple(RIGHT):
            return True
        pattern = self._patterns.end_of_latin if token.isascii() else self._patterns.end_of_native
        if pattern.match(self.low, end):
            return True
        if strict:
            return False
        return (token.isupper() and token not in _WORDS) if token.isascii() else token >= _INDIC

    def _names_another(self, end: int, letter: str, cue: str) -> bool:
        """Return whether another letter follows: "A and C", "A, C"."""
        match = self._patterns.another.match(self.text, end)
        if not match or match["letter"].islower() is not self.text[end - 1].islower():
            return False
        other = self._resolve(match["letter"], cue)
        return other is not None and other != letter

    def _opens_list(self, token: str, start: int) -> bool:
        """Return whether a letter labels the first of several options, on one line or on several."""
        end = start + len(token)
        delimiter = self.text[end : end + 2].lstrip("\"'")[:1]
        if not token.isascii() or delimiter not in tuple(").:、"):
            return False
        # Without text after it, "B." ends a sentence.
        following = rf"[(\"']?{re.escape(chr(ord(token) + 1))}[\"']?{re.escape(delimiter)}[^\S\n]*+[^\n]"
        within = self.text[end : end + _LIST_REACH]
        if re.search(rf"{_NO_MENTION}[ \t]{following}", within.partition("\n")[0]):
            return True
        begins_line = not self.text[max(0, start - 20) : start].rpartition("\n")[2].strip(" \t(>#-")
        return begins_line and bool(re.search(rf"\n[ \t>#-]*{following}", within))

    def _resolve(self, token: str, cue: str) -> str | None:
        """Return the valid Latin letter for a letter of any script; None if there is none."""
        readings = [token.upper()] if token.isascii() else self._language.read_letter(token, cue, self.text)
        return next((reading for reading in readings if reading in self.choices.letters), None)
