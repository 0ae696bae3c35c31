"""Reads the option of a multiple-choice question that a completion answers with: `extract_mcq_answer`."""

import re
from collections.abc import Sequence
from functools import cached_property
from string import ascii_uppercase

from openbench.scorers.answer_phrases import ENGLISH, Language
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.extraction.reader import NO_LETTER, Reader

_LETTERS = frozenset(ascii_uppercase)
_OPTION = r"(?:(?:option|choice|answer) )?"
_LETTER_AFTER = re.compile(
    rf"[(\[]{_OPTION}(?P<enclosed>[A-Za-z])[)\]]"
    rf"|,? (?:i\.e\.|that is),? {_OPTION}[(\[]?(?P<repeated>[A-Z])(?![\w'-]| \w)"
)


def extract_mcq_answer(
    completion: str,
    letters: Sequence[str] | None = None,
    options: Sequence[str] | None = None,
    *,
    language: Language = ENGLISH,
) -> str | None:
    r"""Return the letter of the option that a completion finally answers with.

    - Reasoning between `<think>`, `<thinking>` or `<reasoning>` tags does not count, nor after an unclosed one, nor in
      any channel but the final one. Nor does a base model's run-on: what follows a heading "Question 2:" or "Q:", a
      heading "Problem:" or "Context:" after an answer, or the end of a turn of a chat.
    - A completion that is an option's text gives its letter, and so does an option's text after a cue ("Answer:
      Paris"). Case, spacing, markup and punctuation around it do not matter. A text of two options gives none, nor
      does the text of one with the letter of another ("Paris (C)").
    - The last announced answer wins: "Answer: B", "the answer is (B)", `\boxed{B}`, `"answer": "B"`, "I choose B",
      and likewise in other languages. "Not B but C" announces C. To announce several letters ("A and C"), none of the
      options or ignorance is to give no answer. Nobody else's answer counts ("the wrong answer is A").
    - Where nothing is announced, the last verdict or conclusion counts: "Option B is right", "so it's B".
    - Where there is none, the one option counts that is marked as correct in a list of them ("A: wrong", "B: right").
    - Else a letter counts that stands alone on the last or the first line, or that begins it ("B) Paris") without being
      part of a list of the options; likewise an option's text.
    - A letter is Latin, full-width or one of the language. A letter that is also a word ("A", "I", any in
      lower case) needs a sign that it is meant: brackets, or after it the end of the clause or a "because".

    Args:
        completion: The text that the model wrote.
        letters: The valid letters, of A to Z; others are passed over. By default one for each option, or all.
        options: The options' texts, in the order of the letters.
        language: The language of the announcements; see `openbench.scorers.answer_phrases`.

    Returns:
        The letter in upper case, or None if the completion gives no answer.
    """
    choices = choices_of(letters, options)
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
    """The valid answers.

    Attributes:
        letters: The valid letters.
        reach: More characters than an option's text takes up.
    """

    def __init__(self, letters: frozenset[str], listed: Sequence[str], options: Sequence[str]) -> None:
        self.letters = letters
        # Twice the length leaves room for spaces and brackets.
        self.reach = 2 * max(map(len, options)) + 32 if options else 0
        self._listed = listed
        self._options = options

    @cached_property
    def _by_text(self) -> dict[str, str]:
        """The letter of each option's text; "" where options share the text."""
        by_text: dict[str, str] = {}
        for letter, option in zip(self._listed, self._options, strict=False):
            key = _key(plain(option))
            by_text[key] = "" if key in by_text or letter not in self.letters else letter
        by_text.pop("", None)
        return by_text

    def named(self, text: str) -> str | None:
        """Return the letter of the option whose text this is; a single letter is a label rather than a text."""
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
        """Return the letter of the option whose text stands here with a letter after it: "Paris (B)", "9, i.e. B".

        NO_LETTER if that is the letter of another option.
        """
        match = _LETTER_AFTER.search(text)
        letter = (match["enclosed"] or match["repeated"]).upper() if match else ""
        if not match or letter not in self.letters:
            return None
        named = self.named(text[: match.start()])
        return NO_LETTER if named and named != letter else named


def choices_of(letters: Sequence[str] | None, options: Sequence[str] | None) -> Choices:
    """Return the valid letters with the texts of the options; by default one letter for each option, or all."""
    if letters is None:
        letters = ascii_uppercase if options is None else ascii_uppercase[: len(options)]
    listed = [plain(letter).upper() for letter in letters]
    return Choices(_LETTERS.intersection(listed), listed, options or ())


def _key(text: str) -> str:
    """Return the form that equal writings of an option's text share."""
    return " ".join(text.lower().split()).strip(" .,;:!?\"'{}<>…。、؟।")
