"""A benchmark's samples as an audit sees them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai.dataset import Sample
from inspect_ai.scorer import Target

from openbench.scorers.mcq import options_of

_FIRST_OPTION = re.compile(r"^[ \t]*\(?A[).:][ \t]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Item:
    """A sample.

    Attributes:
        id: Its id.
        question: What the user messages say, without the lettered options.
        options: The options' texts by letter.
        targets: The correct answers: letters, if there are options.
    """

    id: str | int
    question: str
    options: Mapping[str, str]
    targets: Sequence[str]

    @classmethod
    def of(cls, sample: Sample, number: int) -> "Item":
        """Return the item of a sample, with its number as a missing id."""
        options = options_of(sample)
        text = sample.input if isinstance(sample.input, str) else _shown(sample)
        if options and not sample.choices:
            *_, last = _FIRST_OPTION.finditer(text)
            text = text[: last.start()]
        return cls(number if sample.id is None else sample.id, text, options, list(Target(sample.target)))

    @property
    def answers(self) -> frozenset[str]:
        """The texts of the correct answers, folded."""
        return frozenset(folded(self.options.get(target.strip(), target)) for target in self.targets)


def items_of(samples: Sequence[Sample]) -> list[Item]:
    """Return the items of samples."""
    return [Item.of(sample, number) for number, sample in enumerate(samples, 1)]


def folded(text: str) -> str:
    """Return a text in small letters, with single spaces."""
    return " ".join(text.casefold().split())


def _shown(sample: Sample) -> str:
    assert not isinstance(sample.input, str)  # noqa: S101 - the caller has looked
    return "\n".join(message.text for message in sample.input if message.role == "user")
