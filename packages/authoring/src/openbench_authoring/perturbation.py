"""Perturbation: typing errors in the words of a question, to test whether a model's answers are robust to them."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from openbench.errors import UsageError
from openbench_authoring.alphabets import alphabet, of_the_same_script
from openbench_authoring.few_shot import item_rng
from openbench_scorers.options import one_or_several

# A word's letters; each is a character with the marks that combine with it.
Word = list[str]

# Placeholders (and whatever else stands in braces on a line), and commands of LaTeX.
_FROZEN = re.compile(r"(\{[^{}\n]*\}|\\[A-Za-z]+)")


@dataclass(frozen=True)
class Perturbation:
    """How a text is perturbed.

    Args:
        kind: One of
            `editor`: edits anywhere in words, the longer the word the more: a letter is inserted, changes its case
            (twice as likely as each other edit), changes places with the next one, or is deleted (in words of more
            than four letters), or the word is split by a space;
            `permute`: letters inside words change places with the next one;
            `replace`: letters inside words become others;
            `delete`: letters inside words are left out;
            `uppercase`: all words are in capitals, unless `p` is 0.
        p: From 0 to 1; `int(n * p)` edits are made, where n is, for `editor`, the number of letters of all words
            that may change; for the others, the number of letters inside these words, without the first and the last
            ones of each (for `permute`, of neighbours among them that differ). A short text may stay as it is.
        seed: The seed.
        protected: Words that never change, in any case.

    Raises:
        UsageError: The kind is unknown, `p` is outside 0 to 1, or `protected` is not a list of texts.
    """

    kind: str = "editor"
    p: float = 0.1
    seed: int = 42
    protected: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UsageError(f"perturbation: the kind {self.kind!r} is unknown. Known: {', '.join(KINDS)}.")
        p: object = self.p  # it may come from a file
        if not isinstance(p, int | float) or not 0 <= p <= 1:
            raise UsageError(f"perturbation: p is {p!r}, where a number from 0 to 1 is expected.")
        words: Any = self.protected
        if isinstance(words, str) or not all(isinstance(word, str) for word in one_or_several(words)):
            raise UsageError(f"perturbation: protected is {self.protected!r}, where a list of words is expected.")
        object.__setattr__(self, "protected", tuple(self.protected))


def perturb(text: str, perturbation: Perturbation, *, key: str | int | None = None, language: str | None = None) -> str:
    """Return a text with perturbed words.

    Words are runs of letters, of any script. White space, punctuation, digits, text in braces on one line (format
    placeholders, LaTeX arguments), LaTeX commands and protected words do not change, except that `editor` splits words
    with spaces.

    Source: the kinds, their defaults and the weights of the edits are those of eval-framework (Aleph Alpha Research);
    `permute`, `replace` and `delete` go back to the evaluation of hierarchical autoregressive transformers (Neitemeier
    et al. 2025, arXiv 2501.10322, section 4.4).

    Args:
        text: The text.
        perturbation: The perturbation.
        key: A key combined with the seed: the sample's id, so that the text does not depend on the rest of the run; by
            default the text itself.
        language: The language whose letters are inserted, by name or code; by default none is assumed, and the letters
            are the text's own (`openbench_authoring.alphabets`).
    """
    pieces = _pieces(text)
    protected = {piece.casefold() for entry in perturbation.protected for piece in _runs(entry)}
    words = {
        place: _letters(piece)
        for place, piece in enumerate(pieces)
        if any(map(str.isalpha, piece)) and _in_word(piece[0]) and piece.casefold() not in protected
    }
    rng = item_rng(perturbation.seed, text if key is None else key)
    KINDS[perturbation.kind](list(words.values()), perturbation.p, rng, alphabet(language, text))
    for place, word in words.items():
        pieces[place] = "".join(word)
    return "".join(pieces)


def _editor(words: list[Word], p: float, rng: random.Random, letters: str) -> None:
    edits = int(sum(map(len, words)) * p)
    # A word of one letter can neither be split nor transposed, and would become another word.
    weights = [len(word) - 1 for word in words]
    if edits and any(weights):
        chosen = Counter(rng.choices(range(len(words)), weights, k=edits))
        for number, count in sorted(chosen.items()):
            _edit(words[number], count, rng, letters)


def _edit(word: Word, count: int, rng: random.Random, letters: str) -> None:
    splits = 0
    for _ in range(count):
        edits = ["insert", "case", "case"]
        edits += ["transpose", "split"] if len(word) > 1 else []
        edits += ["delete"] if len(word) > 4 else []  # noqa: PLR2004 - a deletion disfigures a short word
        done = True
        match rng.choice(edits):
            case "transpose":
                done = _swap(word, rng.randrange(len(word) - 1))
            case "case":
                done = _change_case(word, rng.randrange(len(word)))
            case "delete":
                del word[rng.randrange(1, len(word) - 1)]
            case "split" if splits < len(word) - 1:
                splits += 1
            case _:
                done = False
        if not done:  # so that each edit has an effect
            place = rng.randrange(len(word))
            word.insert(place, _letter_like(word[place], letters, rng))
    # Last, so that no other edit leaves two adjacent spaces, or a trailing one.
    for place in rng.sample(range(1, len(word)), min(splits, len(word) - 1)):
        word[place] = " " + word[place]


def _permute(words: list[Word], p: float, rng: random.Random, letters: str) -> None:  # noqa: ARG001 - as all kinds
    places = [(word, place) for word in words for place in range(1, len(word) - 2) if word[place] != word[place + 1]]
    for word, place in _share(places, p, rng):
        _swap(word, place)


def _replace(words: list[Word], p: float, rng: random.Random, letters: str) -> None:
    for word, place in _share(_inner(words), p, rng):
        others = letters.replace(word[place].lower(), "")
        word[place] = _letter_like(word[place], others or letters, rng)


def _delete(words: list[Word], p: float, rng: random.Random, letters: str) -> None:  # noqa: ARG001 - as all kinds
    for word, place in _share(_inner(words), p, rng):
        word[place] = ""


def _uppercase(words: list[Word], p: float, rng: random.Random, letters: str) -> None:  # noqa: ARG001 - as all kinds
    for word in words if p else ():
        word[:] = map(str.upper, word)


KINDS: dict[str, Callable[[list[Word], float, random.Random, str], None]] = {
    "editor": _editor,
    "permute": _permute,
    "replace": _replace,
    "delete": _delete,
    "uppercase": _uppercase,
}


def _inner(words: list[Word]) -> list[tuple[Word, int]]:
    return [(word, place) for word in words for place in range(1, len(word) - 1)]


def _share(places: list[tuple[Word, int]], p: float, rng: random.Random) -> list[tuple[Word, int]]:
    return rng.sample(places, int(len(places) * p))


def _swap(word: Word, place: int) -> bool:
    word[place], word[place + 1] = word[place + 1], word[place]
    return word[place] != word[place + 1]


def _change_case(word: Word, place: int) -> bool:
    before = word[place]
    word[place] = before.swapcase()
    return word[place] != before


def _letter_like(other: str, letters: str, rng: random.Random) -> str:
    """Return a letter in the script of another and, if it has one capital, in its case."""
    letter = rng.choice(of_the_same_script(letters, other))
    capital = letter.upper()
    return capital if other.isupper() and len(capital) == 1 else letter


def _pieces(text: str) -> list[str]:
    """Split a text into words, the text between them, and parts that never change."""
    return [run for part in _FROZEN.split(text) for run in ([part] if _FROZEN.fullmatch(part) else _runs(part))]


def _runs(text: str) -> list[str]:
    return ["".join(run) for _, run in groupby(text, _in_word)]


def _in_word(character: str) -> bool:
    return character.isalpha() or character == "_" or unicodedata.category(character).startswith("M")


def _letters(word: str) -> Word:
    letters: Word = []
    for character in word:
        if letters and unicodedata.category(character).startswith("M"):
            letters[-1] += character
        else:
            letters.append(character)
    return letters
