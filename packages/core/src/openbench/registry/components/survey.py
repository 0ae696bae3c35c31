"""What is wrong with the scorers and solvers of an environment, for `bench doctor`."""

from collections.abc import Container, Iterator
from pathlib import Path

from openbench.registry.components.candidates import TABLES, candidates_by_name, decide, settling_line
from openbench.registry.components.offers import Kind, faults
from openbench.registry.problems import Problem
from openbench.registry.settings import Settings, read_settings


def survey(kind: Kind, directory: Path) -> Iterator[Problem]:
    """Load all short names of plugins, and yield what is wrong with them and with what the settings say of them.

    Raises:
        UsageError: The settings are malformed.
    """
    settings = read_settings(directory, TABLES[kind])
    yield from faults(kind)
    named = candidates_by_name(kind)
    for name, candidates in named.items():
        resolution, problems = decide(kind, candidates, settings.choices.get(name), load_all=True)
        yield from problems
        if resolution and resolution.winner is None:
            first, names = resolution.candidates[0], ", ".join(map(str, resolution.candidates))
            remedy = f"Settle it: {settling_line(kind, resolution)}"
            yield Problem(first.distribution, first.key, f"{resolution.why}: {names}", remedy)
    yield from _unfulfilled(kind, settings, named)


def _unfulfilled(kind: Kind, settings: Settings, named: Container[str]) -> Iterator[Problem]:
    """Find what the settings say of names that no one provides."""
    for name, choice in settings.choices.items():
        if name not in named:
            message = f"{choice.where} says that it provides the {kind} {name}, but no one does"
            yield Problem(choice.distribution, name, message, f"Install it: pip install {choice.distribution}")
