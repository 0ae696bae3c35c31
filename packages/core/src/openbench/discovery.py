"""Reads entry points: which distribution provides which benchmarks and groups.

A plugin is a stranger's code. Whatever one does when it is loaded costs one labelled problem and nothing
else: every other entry point is still read.
"""

import contextlib
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, get_origin

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
        What was found, in the order of the distributions' names, and what could not be used.
    """
    provided: list[Provided[T]] = []
    problems: list[Problem] = []
    found = [(_origin(entry_point), entry_point) for entry_point in entry_points(group=group)]
    for (distribution, version), entry_point in sorted(found, key=lambda pair: pair[0]):
        try:
            loaded = _load(entry_point)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - see the module's first paragraph
            problems.append(Problem(distribution, entry_point.name, _cause(error)))
            continue
        for key, value in _values(entry_point.name, loaded):
            if not isinstance(key, str) or not isinstance(value, kind):
                message = f"gives {_described(value)} for {key!r} where a {kind.__name__} is expected"
                problems.append(Problem(distribution, entry_point.name, message))
            elif wrong := _wrong_fields(value, kind):
                problems.append(Problem(distribution, entry_point.name, f"the {kind.__name__} of {key!r} has {wrong}"))
            else:
                provided.append(Provided(key, value, distribution, version))
    return provided, problems


def _origin(entry_point: EntryPoint) -> tuple[str, str]:
    dist = entry_point.dist
    # A half-removed distribution may have its entry points still, and neither name nor version.
    return (dist and dist.name) or entry_point.module, (dist and dist.version) or "unknown"


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


def _wrong_fields(value: object, kind: type) -> str:
    """Say which fields hold what they must not, since dataclasses take anything; nothing if all is well."""
    given = ((name, allowed, getattr(value, name)) for name, allowed in _field_types(kind))
    return " and ".join(f"{_described(v)} as {name}" for name, allowed, v in given if not _fits(v, allowed))


@cache
def _field_types(kind: Any) -> Sequence[tuple[str, Any]]:
    """Return name and type of each field of one of our dataclasses; all its sequences hold texts."""
    return [(f.name, Sequence if get_origin(f.type) is Sequence else f.type) for f in fields(kind)]


def _fits(value: object, allowed: Any) -> bool:
    if allowed is Sequence:  # any collection will do, such as a set of tags
        return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    return isinstance(value, allowed)


def _described(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _cause(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"needs the module {error.name!r}, which is not installed"
    message = " ".join(str(error).split())  # one line, whatever the plugin says
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def distributions() -> dict[str, str]:
    """Return the distributions that provide benchmarks with their versions, sorted, without loading any."""
    return dict(sorted({_origin(entry_point) for entry_point in entry_points(group=BENCHMARKS)}))
