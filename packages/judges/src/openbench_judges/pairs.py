"""Compares two answers in both orders: a grader that decides by position counts as undecided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from inspect_ai.util import collect

from openbench_judges.panel import Ballot, Panel, Question, Vote, mapped, verdict_of
from openbench_judges.verdicts import choice

Outcome = Literal["win", "tie", "loss"]
Place = Literal["A", "B"]

VALUES: Mapping[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}
"""The value of each outcome; their mean is the win rate, with ties as half wins."""

READ_PAIR = choice({"A": "A", "B": "B", "C": "tie"})
"""The reader of MT-Bench's verdicts: `[[A]]`, `[[B]]`, or `[[C]]` for a tie."""

_OUTCOMES: Mapping[Place, Mapping[str, Outcome]] = {
    "A": {"A": "win", "B": "loss", "tie": "tie"},
    "B": {"A": "loss", "B": "win", "tie": "tie"},
}


@dataclass(frozen=True)
class Match:
    """The comparison of an answer with a rival in both orders.

    Attributes:
        as_a: The outcomes when the answer was answer A.
        as_b: The outcomes when it was answer B.
    """

    as_a: Ballot[Outcome]
    as_b: Ballot[Outcome]

    @property
    def outcomes(self) -> Ballot[Outcome]:
        """Each grader's outcome over both orders: a tie if they differ, None if either cannot be read."""
        pairs = zip(self.as_a.votes, self.as_b.votes, strict=True)
        return Ballot(self.as_a.prompt, [Vote(one.grader, swapped(one.value, other.value), "") for one, other in pairs])

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of more than half of all graders; None without a majority."""
        return verdict_of(self.outcomes)

    def consistency(self) -> float | None:
        """Return the share of graders whose verdict is the same in both orders; None if none can be read."""
        pairs = zip(self.as_a.votes, self.as_b.votes, strict=True)
        both = [one.value == other.value for one, other in pairs if None not in {one.value, other.value}]
        return sum(both) / len(both) if both else None


def swapped(as_a: Outcome | None, as_b: Outcome | None) -> Outcome | None:
    """Return the outcome of two verdicts in swapped positions.

    Source: Zheng et al. 2023, Judging LLM-as-a-judge with MT-Bench, arXiv 2306.05685, section 3.4 (the conservative
    approach).

    Returns:
        The common outcome; a tie if they differ; None if either is missing.
    """
    if as_a is None or as_b is None:
        return None
    return as_a if as_a == as_b else "tie"


async def compare(panel: Panel, question: Callable[[Place], Question[str]], *, evaluated: object) -> Match:
    """Ask a panel in both orders.

    Args:
        panel: The panel.
        question: Returns the question with the answer in a place; its verdicts are `A`, `B` or `tie`.
        evaluated: The evaluated model or its name.
    """
    places = get_args(Place)
    as_a, as_b = await collect(*(panel.ask(question(place), evaluated=evaluated) for place in places))
    return Match(mapped(as_a, _OUTCOMES["A"]), mapped(as_b, _OUTCOMES["B"]))
