"""Reads entry points: which distribution provides which benchmarks and groups.

A plugin is a stranger's code. Whatever one does when it is loaded costs one labelled problem and nothing
else: every other entry point is still read.
"""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

T = TypeVar("T")

BENCHMARKS = "openbench.benchmarks"
GROUPS = "openbench.groups"


@dataclass(frozen=True)
class Provided(Generic[T]):
    """One value that a distribution provides under a key.

    Attributes:
        key: The name that it registers.
        value: What it registers: metadata of a benchmark, or a group.
        distribution: The distribution's name.
        version: The distribution's version.
    """

    key: str
    value: T
    distribution: str
    version: str


@dataclass(frozen=True)
class Problem:
    """One entry point, or one key of it, that could not be used, and why."""

    distribution: str
    entry_point: str
    message: str

    def __str__(self) -> str:
        return f"{self.distribution}: {self.entry_point}: {self.message}"


def discover(group: str, kind: type[T]) -> tuple[list[Provided[T]], list[Problem]]:
    """Read one entry-point group.

    An entry point names a value, a dict of values under keys of their own, or a callable without
    parameters that returns either.

    Returns:
        What was found, in the order of the entry points, and what could not be used.
    """
    provided: list[Provided[T]] = []
    problems: list[Problem] = []
    for entry_point in entry_points(group=group):
        distribution, version = _origin(entry_point)
        try:
            loaded = _load(entry_point)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - see the module's first paragraph
            problems.append(Problem(distribution, entry_point.name, _cause(error)))
            continue
        for key, value in _values(entry_point.name, loaded):
            if isinstance(key, str) and isinstance(value, kind):
                provided.append(Provided(key, value, distribution, version))
            else:
                message = f"gives {_described(value)} for {key!r} where a {kind.__name__} is expected"
                problems.append(Problem(distribution, entry_point.name, message))
    return provided, problems


def _origin(entry_point: EntryPoint) -> tuple[str, str]:
    dist = entry_point.dist
    return (dist.name, dist.version) if dist else (entry_point.module, "unknown")


def _load(entry_point: EntryPoint) -> object:
    # What a plugin prints while it loads must not mix with our own output, which may be JSON.
    with contextlib.redirect_stdout(sys.stderr):
        loaded = entry_point.load()
        return loaded() if callable(loaded) else loaded


def _values(name: str, loaded: object) -> Iterator[tuple[object, object]]:
    if isinstance(loaded, dict):
        yield from loaded.items()
    else:
        yield name, loaded


def _described(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _cause(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"needs the module {error.name!r}, which is not installed"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def distributions() -> dict[str, str]:
    """Return the distributions that provide benchmarks with their versions, sorted, without loading any."""
    return dict(sorted({_origin(entry_point) for entry_point in entry_points(group=BENCHMARKS)}))
