"""The options of a multiple-choice question: their letters and their texts."""

import re
from collections.abc import Sequence
from functools import cached_property
from string import ascii_uppercase

from openbench.scorers.cleaning import plain

NO_LETTER = ""
"""An announced answer that is not one letter: "Answer: A and C", "Answer: none of the above"."""

_LETTERS = frozenset(ascii_uppercase)
_OPTION = r"(?:(?:option|choice|answer) )?"
_LETTER_AFTER = re.compile(
    rf"[(\[]{_OPTION}(?P<enclosed>[A-Za-z])[)\]]"
    rf"|,? (?:i\.e\.|that is),? {_OPTION}[(\[]?(?P<repeated>[A-Z])(?![\w'-]| \w)"
)


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
