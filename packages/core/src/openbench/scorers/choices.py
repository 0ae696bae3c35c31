"""The options of a multiple-choice question: their letters and their texts."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from openbench.scorers.cleaning import plain

_LETTERS = frozenset(ascii_uppercase)


class Choices(NamedTuple):
    """What an answer may name.

    Attributes:
        letters: The valid letters.
        by_text: The letter of each option's text; "" where options share the text.
        reach: More characters than an option's text takes up.
    """

    letters: frozenset[str]
    by_text: dict[str, str]
    reach: int

    def named(self, text: str) -> str | None:
        """Return the letter of the option whose text this is; a single letter is a label rather than a text."""
        if not self.by_text or len(text) > self.reach:
            return None
        key = _key(text)
        if key.upper() in self.letters:
            return None
        return self.by_text.get(key) or self.by_text.get(_key(key.strip("()[]"))) or None


def choices_of(letters: Sequence[str] | None, options: Sequence[str] | None) -> Choices:
    """Return the valid letters with the texts of the options; by default one letter for each option, or all."""
    if letters is None:
        letters = ascii_uppercase if options is None else ascii_uppercase[: len(options)]
    listed = [(letter if letter.isascii() else plain(letter)).upper() for letter in letters]
    valid = _LETTERS.intersection(listed)
    by_text: dict[str, str] = {}
    for letter, option in zip(listed, options or (), strict=False):
        key = _key(plain(option))
        by_text[key] = "" if key in by_text or letter not in valid else letter
    by_text.pop("", None)
    # Twice the length leaves room for spaces and brackets.
    return Choices(valid, by_text, 2 * max(map(len, options or ()), default=0) + 32)


def _key(text: str) -> str:
    """Return what two writings of an option's text have in common."""
    return " ".join(text.lower().split()).strip(" .,;:!?\"'{}<>…。、؟।")
