"""Materials of the haystacks: essays, words and questions, downloaded and pinned, or the package's own."""

import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar, cast

from openbench.datasets import read_parts, read_text
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench_longcontext.metadata import ESSAY_NAMES, ESSAYS, MATERIALS

T = TypeVar("T")

ESSAY = "essays"
_DEFAULTS = "defaults"
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


class Materials:
    """The texts from which samples are generated.

    Attributes:
        label: The origin of the texts.
        source: The source that represents all of them.
        defaults: Task arguments whose defaults these materials override, as the package's own few materials do.
    """

    def __init__(self, label: str, source: DatasetSource | None, data: Mapping[str, Any]) -> None:
        """Store materials by name: `essays`, `nouns`, `adjectives`, `verbs`, `squad`, `hotpotqa`."""
        self.label, self.source = label, source
        self.defaults: Mapping[str, Any] = data.get(_DEFAULTS, {})
        self._data = data
        self._derived: dict[Callable[[Materials], object], object] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a material.

        Raises:
            DataError: The material is missing.
        """
        if name not in self._data:
            raise DataError(f"{self.label} does not contain {name!r}")
        return self._data[name]

    @cached_property
    def essay_words(self) -> Sequence[str]:
        """The words of all essays, in order."""
        return "".join(self[ESSAY]).split()

    @cached_property
    def words(self) -> Sequence[str]:
        """All nouns, adjectives and verbs, sorted."""
        return sorted({*self["nouns"], *self["adjectives"], *self["verbs"]})

    def name(self, rng: random.Random) -> str:
        """Draw an adjective and a noun, such as `quiet-lake`."""
        return f"{rng.choice(self['adjectives'])}-{rng.choice(self['nouns'])}"

    def once(self, derive: Callable[["Materials"], T]) -> T:
        """Return the result of a function of the materials, which is called only once."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        return cast("T", self._derived[derive])

    def essay(self, words: int) -> str:
        """Return a number of words of the essays, which are repeated if necessary."""
        repeats = math.ceil(words / len(self.essay_words))
        return " ".join((list(self.essay_words) * repeats)[:words])


def read_materials(source: DatasetSource, names: Sequence[str]) -> Materials:
    """Read materials by name; with `--sample` the package's own replace them.

    Raises:
        DataError: A material cannot be fetched, or does not match the pin.
    """
    rows = read_parts(source, lambda: [{"kind": name, "data": _read(name)} for name in names])
    return Materials(rows.label, rows.source, {row["kind"]: row["data"] for row in rows.rows})


def _read(name: str) -> Any:
    if name == ESSAY:
        return [read_text(replace(ESSAYS, source=f"{ESSAYS.source}/{essay}.txt")) for essay in ESSAY_NAMES.split()]
    text = read_text(MATERIALS[name])
    return json.loads(text) if name in {"squad", "hotpotqa"} else list(filter(None, map(str.strip, text.splitlines())))


def sentences(text: str) -> list[str]:
    """Split a text at the spaces after full stops, question marks and exclamation marks."""
    return _SENTENCE_END.split(text)


def largest(fits: Callable[[int], bool], least: int, most: int | None = None) -> int | None:
    """Return the largest size that fits, from `least` to `most`; None if `least` does not fit.

    Args:
        fits: Returns whether a size fits; if one fits, all smaller ones must fit.
        least: The smallest size.
        most: The largest size; None for no limit.
    """
    if not fits(least):
        return None
    low, high = least, 2 * least
    while (most is None or high <= most) and fits(high):
        low, high = high, 2 * high
    if most is not None and high > most:
        if low < most and fits(most):
            return most
        high = min(high, max(most, low + 1))
    while high - low > max(1, low >> 10):  # the token counts of samples differ by more than a thousandth
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def seeded(*parts: object) -> random.Random:
    """Return a random number generator with a seed made of the parts, the same on every machine."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 - no secret


def too_short(length: int, content: str) -> UsageError:
    """Return the error for a length that is too short for its content."""
    return UsageError(f"length={length}: too short for {content}. Choose a greater length.")
