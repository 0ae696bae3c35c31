"""Reads entry points: which distribution provides which benchmarks and groups.

Whatever a plugin does when it is loaded costs one labelled problem and nothing else: every other one is still read.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin

from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.registry.guard import Guard
from openbench.registry.installed import Registered, registered
from openbench.registry.modules import find_module
from openbench.registry.names import MOST_CHARACTERS, key_fault, unprintable
from openbench.registry.problems import Problem, load_problem, problem

T = TypeVar("T")


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

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


def discover(group: str, kind: type[T]) -> tuple[list[Provided[T]], list[Problem]]:
    """Read one entry-point group.

    An entry point names a value, a dict of values under keys of their own, or a callable without
    parameters that returns either.

    Returns:
        What was found, in the order of the distributions' names, and what could not be used: one problem at most
        for each entry point.
    """
    provided: list[Provided[T]] = []
    problems: list[Problem] = []
    with Guard() as guard:
        for found in registered(group):
            outcome = guard.call(found.module, _reader(found, kind))
            if outcome.error is not None:
                problems.append(load_problem(found, outcome.error))
                continue
            values, faults = outcome.value
            provided += [Provided(key, value, found.distribution, found.version) for key, value in values]
            if faults:
                problems.append(problem(found, "; ".join(faults)))
            elif outcome.printed:
                problems.append(problem(found, f"prints while it is loaded: {outcome.printed!r:.60}", loaded=True))
    return provided, problems


def _reader(found: Registered, kind: type[T]) -> Callable[[], tuple[list[tuple[str, T]], list[str]]]:
    """Return what loads an entry point and looks at its values, all of which runs the plugin's code."""

    def read() -> tuple[list[tuple[str, T]], list[str]]:
        loaded = found.load()
        values: list[tuple[str, T]] = []
        faults = []
        for key, value in _values(found.name, loaded() if callable(loaded) else loaded):
            if fault := _fault(key, value, kind):
                faults.append(fault)
            else:
                values.append((str(key), value))
        return values, faults

    return read


def _values(name: str, loaded: object) -> Iterator[tuple[Any, Any]]:
    if isinstance(loaded, dict):
        yield from loaded.items()
    else:
        yield name, loaded


def _fault(key: object, value: object, kind: type) -> str:
    """Say why a value cannot be used under a key; nothing if it can."""
    if not isinstance(key, str) or not isinstance(value, kind):
        return f"gives {_described(value)} for {key!r} where a {kind.__name__} is expected"
    if fault := key_fault(key):
        return f"the key {key!r:.60} {fault}"
    if wrong := " and ".join(_wrong_fields(value, kind)):
        return f"the {kind.__name__} of {key!r} has {wrong}"
    if isinstance(value, BenchmarkMetadata) and find_module(value.module_path) is None:
        return f"the {kind.__name__} of {key!r} names the module {value.module_path!r}, which does not exist"
    return ""


def _wrong_fields(value: object, kind: type, within: str = "") -> Iterator[str]:
    """Say which fields hold what they must not, since dataclasses take anything."""
    for name, allowed in _field_types(kind):
        held = getattr(value, name)
        if not _fits(held, allowed):
            yield f"{_described(held)} as {within}{name}"
        elif isinstance(held, DatasetSource):
            yield from _wrong_fields(held, DatasetSource, within=f"{name}.")
        elif unfit := _unfit_text(held):
            yield f"{unfit} in {within}{name}"


@cache
def _field_types(kind: Any) -> Sequence[tuple[str, Any]]:
    """Return name and type of each field of one of our dataclasses; all its sequences hold texts."""
    return [(f.name, Sequence if get_origin(f.type) is Sequence else f.type) for f in fields(kind)]


def _fits(value: object, allowed: Any) -> bool:
    if allowed is Sequence:  # any collection will do, such as a set of tags
        return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    if get_origin(allowed) is Literal:
        return value in get_args(allowed)
    return isinstance(value, allowed)


def _unfit_text(held: object) -> str:
    """Say what makes a text, or one of several, unfit to be shown; nothing if all are fit."""
    for text in held if isinstance(held, Collection) and not isinstance(held, str) else [held]:
        if not isinstance(text, str) or (text.isprintable() and len(text) <= MOST_CHARACTERS):
            continue
        if len(text) > MOST_CHARACTERS:
            return f"{len(text):,} characters (the most are {MOST_CHARACTERS:,})"
        if control := unprintable(text):
            return f"the control character {control[0]!r}"
    return ""


def _described(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
