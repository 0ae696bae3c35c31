"""Decides which of several distributions provides a name. The rules are `RULES`, highest first."""

from collections.abc import Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from openbench.metadata import BenchmarkMetadata
from openbench.registry.discovery import perhaps_left_out
from openbench.registry.names import canonical

T = TypeVar("T")


class Provided(NamedTuple, Generic[T]):
    """A value that a distribution provides under a key."""

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
    "conflict": "otherwise a conflict, which bench eval refuses",
}
ONLY = "only"


class Choice(NamedTuple):
    """The distribution that the user chose for a name, and where: a reference, or the path of a file."""

    distribution: str
    where: str


class Resolution(NamedTuple):
    """The distribution that provides a name, the rule that decided, and the other candidates.

    Attributes:
        key: The name, as the winner or the first candidate writes it.
        candidates: What every distribution provides under that name.
        winner: The one that is used; None for a conflict, or if the chosen distribution does not provide the name.
        rule: The key in `RULES` of the rule that decided; `only` if there is a single candidate.
        why: The reason, as a clause.
    """

    key: str
    candidates: Sequence[Candidate]
    winner: Candidate | None
    rule: str
    why: str

    @property
    def overridden(self) -> Sequence[Candidate]:
        """The candidates that the winner replaces; none with the rule `only`, even if others were ignored."""
        if self.winner is None or self.rule == ONLY:
            return []
        return [candidate for candidate in self.candidates if candidate is not self.winner]


def resolve(candidates: Sequence[Candidate], choice: Choice | None = None, *, overrides: bool = True) -> Resolution:
    """Apply the rules to the candidates for one name, at least one.

    Without `overrides`, candidates that replace another by the rules `overrides` and `builtin` are ignored. The user's
    choice holds either way.
    """
    if choice:
        return _chosen(candidates, choice)
    if overrides:
        return _decide(candidates)
    left = [candidate for candidate in candidates if not replaces(candidate, candidates)]
    return _decide(left)._replace(candidates=candidates) if left else _undecided(candidates)


def refusal(resolution: Resolution) -> str:
    """Return the message for a name without a winner, with the remedy."""
    key, candidates = resolution.key, resolution.candidates
    choices = " or ".join(f"{key}@{candidate.distribution}" for candidate in candidates)
    if resolution.rule == "chosen":
        return f"{key}: {resolution.why}. Correct it, or say which one you mean: {choices}."
    names = ", ".join(map(str, candidates))
    settled = f"'bench use {key} {candidates[0].distribution}' sets it for a project"
    return f"{key}: several distributions provide this name: {names}. Say which one you mean: {choices}; {settled}."


def not_provided(name: str, distribution: str, providers: Sequence[str]) -> str:
    """Return the message for a reference to a distribution that does not provide the name."""
    shown = f"the distribution {distribution}" if distribution else "a distribution without a name"
    return f"{name}: {shown} does not provide it. Provided by: {', '.join(providers)}{perhaps_left_out()}."


def overriders(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that declare that they override this one."""
    name = canonical(candidate.distribution)
    return [c for c in candidates if c is not candidate and c.value.overrides and canonical(c.value.overrides) == name]


def replaces(candidate: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates that this one replaces by the rules `overrides` and `builtin`."""
    others = [other for other in candidates if other is not candidate]
    return [other for other in others if _decide([candidate, other]).winner is candidate]


def _chosen(candidates: Sequence[Candidate], choice: Choice) -> Resolution:
    name = canonical(choice.distribution)
    winner = next((candidate for candidate in candidates if canonical(candidate.distribution) == name), None)
    if winner is None:
        provided = " and ".join(candidate.distribution for candidate in candidates)
        why = f"{choice.where} chooses {choice.distribution}, which does not provide it; provided by {provided}"
        return Resolution(candidates[0].key, candidates, None, "chosen", why)
    return Resolution(winner.key, candidates, winner, "chosen", f"{choice.where} chooses it")


def _decide(candidates: Sequence[Candidate]) -> Resolution:
    """Apply the rules below the user's choice."""
    if len(candidates) == 1:
        return Resolution(candidates[0].key, candidates, candidates[0], ONLY, "no other distribution provides it")
    left = [candidate for candidate in candidates if not overriders(candidate, candidates)]
    # If distributions override each other in a circle, the one that is left overrides none: a conflict.
    if len(left) == 1 and any(left[0] in overriders(candidate, candidates) for candidate in candidates):
        winner, rule, why = left[0], "overrides", f"it declares that it overrides {left[0].value.overrides}"
    elif len(left) > 1 and len(plain := [candidate for candidate in left if not candidate.value.builtin]) == 1:
        winner, rule, why = plain[0], "builtin", "the others declare themselves built in"
    else:
        return _undecided(candidates)
    return Resolution(winner.key, candidates, winner, rule, why)


def _undecided(candidates: Sequence[Candidate]) -> Resolution:
    why = "several distributions provide it, and none replaces the others"
    return Resolution(candidates[0].key, candidates, None, "conflict", why)
