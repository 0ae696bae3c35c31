"""Who has a short name, and which of them provides it by the rules that benchmarks have."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from openbench.registry.components.offers import Kind, Offer, loaded, offers
from openbench.registry.discovery import Provided
from openbench.registry.names import canonical, normalized
from openbench.registry.plugins import PluginError
from openbench.registry.problems import Problem
from openbench.registry.resolution import Choice, Resolved, resolve
from openbench.registry.settings import Table

TABLES: Mapping[Kind, Table] = {"scorer": "scorers", "solver": "solvers"}


def candidates_by_name(kind: Kind) -> Mapping[str, Sequence[Provided[Offer]]]:
    """Return what has each name, in the form in which names compare; of several of one distribution, the first."""
    found: defaultdict[str, list[Provided[Offer]]] = defaultdict(list)
    for offer in offers(kind):
        same = found[normalized(offer.key)]
        if not any(canonical(each.distribution) == canonical(offer.distribution) for each in same):
            same.append(offer)
    return dict(found)


def decide(
    kind: Kind, candidates: Sequence[Provided[Offer]], choice: Choice | None, *, load_all: bool = False
) -> tuple[Resolved[Offer] | None, list[Problem]]:
    """Apply the rules to the candidates for one name.

    Plugins are only loaded for what they claim, which is nothing where there is one, or where the user says which.

    Args:
        kind: What they are.
        candidates: At least one.
        choice: What the user says, if anything.
        load_all: Load them all the same.

    Returns:
        What came of it, or None if all are broken; and what is wrong with those that are and took no part.
    """
    if not load_all and (choice or len(candidates) == 1):
        return resolve(candidates, choice), []
    left, problems = [], []
    for candidate in candidates:
        try:
            left.append(candidate if candidate.value.known else loaded(kind, candidate))
        except PluginError as error:
            problems.append(error.problem)
    return (resolve(left, choice) if left else None), problems


def settling_line(kind: Kind, resolution: Resolved[Offer]) -> str:
    """Return what a project writes to choose the first candidate, in words."""
    first = resolution.candidates[0]
    return f"'{first.key} = \"{first.distribution}\"' in [tool.openbench.{TABLES[kind]}]"
