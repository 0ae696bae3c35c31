"""Finds the scorer or solver that a user means by a name."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.components.candidates import TABLES, candidates_by_name, decide, settling_line
from openbench.registry.components.component import Component
from openbench.registry.components.named import component_of_file, component_of_registry
from openbench.registry.components.offers import Kind, Offer, loaded, offers
from openbench.registry.discovery import Provided
from openbench.registry.installed import perhaps_left_out
from openbench.registry.names import canonical, is_path, normalized
from openbench.registry.plugins import PluginError
from openbench.registry.problems import Problem
from openbench.registry.resolution import Choice, Resolved, not_provided, refusal
from openbench.registry.settings import read_settings

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

_MORE = "openbench-scorers"
_ALIKE, _SAME = 0.75, 0.9


@overload
def find_component(
    kind: Literal["scorer"], reference: str, *, directory: Path | None = None
) -> "Component[Scorer]": ...
@overload
def find_component(
    kind: Literal["solver"], reference: str, *, directory: Path | None = None
) -> "Component[Solver]": ...
def find_component(kind: Kind, reference: str, *, directory: Path | None = None) -> Component[Any]:
    """Find the scorer or solver that a reference means.

    Only what has a short name is imported, and of several that have it the winner, unless nothing but their claims can
    decide.

    Args:
        kind: Which of both.
        reference: A short name, `name@distribution`, `file.py` or `file.py@name`, or `package/name` as inspect has it.
        directory: Where settings are looked for, from it upward, and files; the working directory by default.

    Raises:
        UnknownNameError: No one provides the name, or that distribution does not.
        UsageError: Several do and nothing decides between them, or what it means cannot be loaded.
    """
    directory = directory or Path.cwd()
    if is_path(reference.rpartition("@")[0]) or reference.endswith(".py"):
        return component_of_file(kind, reference, directory)
    if "/" in reference:
        return component_of_registry(kind, reference)
    return _component_of_name(kind, reference, directory)


def component_names(kind: Kind) -> list[str]:
    """Return the short names of a kind, sorted; nothing is loaded."""
    return sorted({each.key for each in offers(kind)})


def _component_of_name(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    name, at, distribution = reference.partition("@")
    candidates = candidates_by_name(kind).get(normalized(name))
    if not candidates:
        raise UnknownNameError(_unknown(kind, name))
    if at and not any(canonical(each.distribution) == canonical(distribution) for each in candidates):
        raise UnknownNameError(not_provided(name, distribution, candidates))
    said = read_settings(directory, TABLES[kind]).choices.get(normalized(name))
    resolution, problems = decide(kind, candidates, Choice(distribution, reference) if at else said)
    if resolution is None:
        raise UsageError(f"{name}: {' '.join(f'{each}. {each.remedy}.' for each in problems)}")
    if resolution.winner is None:
        raise UsageError(refusal(resolution, f"{settling_line(kind, resolution)} settles it for a project"))
    return _component(kind, resolution, resolution.winner, problems)


def _component(
    kind: Kind, resolution: Resolved[Offer], winner: Provided[Offer], problems: Sequence[Problem]
) -> Component[Any]:
    try:
        factory = winner.value.factory or loaded(kind, winner).value.factory
    except PluginError as error:
        raise UsageError(f"{winner.key}: {error}") from error.__cause__
    assert factory is not None  # noqa: S101 - that is what `loaded` does
    return Component(
        kind=kind,
        name=winner.key,
        factory=factory,
        distribution=winner.distribution,
        version=winner.version,
        rule=resolution.rule,
        why=resolution.why,
        in_place_of=[str(other) for other in resolution.overridden],
        not_loaded=problems,
    )


def _unknown(kind: Kind, name: str) -> str:
    offered = list(offers(kind))
    known = {normalized(each.key): each.key for each in sorted(offered, key=lambda each: each.key)}
    ending = f"_{kind}"  # so many names end with it that it makes no two of them alike
    stems = {each.removesuffix(ending): key for each, key in reversed(known.items())}
    wanted = normalized(name)
    close = get_close_matches(wanted.removesuffix(ending), stems, n=1, cutoff=_ALIKE)
    meant = stems[close[0]] if close else next(iter(get_close_matches(wanted, known, n=1, cutoff=_SAME)), "")
    hint = f" Did you mean {meant!r}?" if meant else ""
    more = "" if kind == "solver" or _MORE in {each.distribution for each in offered} else f" {_MORE} has more."
    if hint:
        return f"Unknown {kind} {name!r}.{hint}{perhaps_left_out()}{more}"
    return f"Unknown {kind} {name!r}. Known: {', '.join(known.values())}{perhaps_left_out()}.{more}"
