"""Decides which of several distributions provides a name, and says why.

The rules, highest first, are `RULES`. Everything that shows or explains who provides a name reads it from here.
"""

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from openbench.metadata import BenchmarkMetadata
from openbench.registry.discovery import perhaps_left_out
from openbench.registry.names import canonical

T = TypeVar("T")


class Provided(NamedTuple, Generic[T]):
    """One value that a distribution provides under a key."""

    key: str
    value: T
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


Candidate = Provided[BenchmarkMetadata]

RULES: Mapping[str, str] = {
    "chosen": "your choice: NAME@DISTRIBUTION, or [tool.openbench.providers]",
    "overrides": "metadata that overrides the other distribution",
    "builtin": "any provider over one that declares itself built in",
    "conflict": "otherwise nothing decides, and bench eval refuses",
}
ONLY = "only"


class Choice(NamedTuple):
    """The user's choice of who provides a name, and where it was made: the reference, or the path of a file."""

    distribution: str
    where: str


class Resolution(NamedTuple):
    """Who provides a name, by which rule, and who else could have.

    Attributes:
        key: The name, as the winner or the first candidate writes it.
        candidates: What every distribution provides under that name.
        winner: The one that is used; None for a conflict, or if the chosen distribution does not provide the name.
        rule: The key in `RULES` of what decided; `only` where nothing had to.
        why: The same in words.
        outcomes: The outcome for each candidate, in words, in their order.
    """

    key: str
    candidates: Sequence[Candidate]
    winner: Candidate | None
    rule: str
    why: str
    outcomes: Sequence[str]

    @property
    def overridden(self) -> Sequence[Candidate]:
        """The candidates that the winner takes the place of; except one that was set aside for it."""
        if self.winner is None or self.rule == ONLY:
            return []
        return [candidate for candidate in self.candidates if candidate is not self.winner]


def resolve(candidates: Sequence[Candidate], choice: Choice | None = None, *, overrides: bool = True) -> Resolution:
    """Apply the rules to the candidates for one name, at least one.

    Without `overrides`, every candidate that takes another's place by the rules `overrides` and `builtin` is set aside,
    and the rest resolved; the user's choice stands.
    """
    if choice:
        return _chosen(candidates, choice)
    if overrides:
        return _decide(candidates)
    places = [_place_taken(candidate, candidates) for candidate in candidates]
    left = [candidate for candidate, taken in zip(candidates, places, strict=True) if not taken]
    if not left:
        return _undecided(candidates, [f"takes the place of {taken}" for taken in places])
    rest = _decide(left)
    outcomes = iter(rest.outcomes)
    outcome = [f"set aside, since it takes the place of {taken}" if taken else next(outcomes) for taken in places]
    return Resolution(rest.key, candidates, rest.winner, rest.rule, rest.why, outcome)


def refusal(resolution: Resolution) -> str:
    """Say that nothing decides who provides a name, and the way out."""
    key, candidates = resolution.key, resolution.candidates
    choices = " or ".join(f"{key}@{candidate.distribution}" for candidate in candidates)
    if resolution.rule == "chosen":
        return f"{key}: {resolution.why}. Correct it, or say which one you mean: {choices}."
    names = ", ".join(map(str, candidates))
    settled = f"'bench use {key} {candidates[0].distribution}' settles it for a project"
    return f"{key}: several distributions provide this name: {names}. Say which one you mean: {choices}; {settled}."


def not_provided(name: str, distribution: str, providers: Sequence[str]) -> str:
    """Say that a name is provided by others than the distribution that was named."""
    shown = f"the distribution {distribution}" if distribution else "a distribution without a name"
    return f"{name}: {shown} does not provide it. Provided by: {', '.join(providers)}{perhaps_left_out()}."


def _chosen(candidates: Sequence[Candidate], choice: Choice) -> Resolution:
    name, refused = canonical(choice.distribution), f"not chosen by {choice.where}"
    winner = next((candidate for candidate in candidates if canonical(candidate.distribution) == name), None)
    if winner is None:
        provided = _named(candidates)
        why = f"{choice.where} says {choice.distribution}, which does not provide it; provided by {provided}"
        return Resolution(candidates[0].key, candidates, None, "chosen", why, [refused] * len(candidates))
    why = f"{choice.where} says so"
    outcomes = [f"wins: {why}" if candidate is winner else refused for candidate in candidates]
    return Resolution(winner.key, candidates, winner, "chosen", why, outcomes)


def _decide(candidates: Sequence[Candidate]) -> Resolution:
    """Apply the rules below the user's choice."""
    if len(candidates) == 1:
        (only,) = candidates
        return Resolution(only.key, candidates, only, ONLY, "no other distribution provides it", ["wins: the only one"])
    overriders = [_overriders(candidate, candidates) for candidate in candidates]
    left = [candidate for candidate, by in zip(candidates, overriders, strict=True) if not by]
    outcomes = [f"overridden by {_named(by)}" if by else "in conflict" for by in overriders]
    # Distributions that override each other in a circle leave no one who overrides another: a conflict.
    if len(left) == 1 and any(left[0] in by for by in overriders):
        winner, rule, why = left[0], "overrides", f"it declares that it overrides {left[0].value.overrides}"
    elif len(left) > 1 and len(plain := [candidate for candidate in left if not candidate.value.builtin]) == 1:
        winner, rule, why = plain[0], "builtin", "the others declare themselves built in"
        place = f"built in, so {winner.distribution} takes its place"
        outcomes = [outcome if by else place for outcome, by in zip(outcomes, overriders, strict=True)]
    else:
        return _undecided(candidates, outcomes)
    won = [f"wins: {why}" if each is winner else outcome for each, outcome in zip(candidates, outcomes, strict=True)]
    return Resolution(winner.key, candidates, winner, rule, why, won)


def _undecided(candidates: Sequence[Candidate], outcomes: Sequence[str]) -> Resolution:
    why = "several distributions provide it, and none takes the others' place"
    return Resolution(candidates[0].key, candidates, None, "conflict", why, outcomes)


def _overriders(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return who declares that it overrides a candidate."""
    name = canonical(candidate.distribution)
    return [c for c in candidates if c is not candidate and c.value.overrides and canonical(c.value.overrides) == name]


def _place_taken(candidate: Candidate, candidates: Sequence[Candidate]) -> str:
    """Name the distributions whose place a candidate takes by the rules `overrides` and `builtin`."""
    others = [other for other in candidates if other is not candidate]
    return _named([other for other in others if _decide([candidate, other]).winner is candidate])


def _named(candidates: Sequence[Candidate]) -> str:
    return " and ".join(candidate.distribution for candidate in candidates)
