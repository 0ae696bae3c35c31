"""Reads entry points: which distribution provides which benchmarks and groups.

Whatever a plugin does when it is loaded costs one labelled problem and nothing else: every other one is still read.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Generic, TypeVar, get_origin

from openbench.guard import Guard
from openbench.installed import Registered, registered
from openbench.metadata import BenchmarkMetadata, DatasetSource
from openbench.modules import find_module
from openbench.names import MOST_CHARACTERS, key_fault, unprintable
from openbench.problems import Problem, load_problem, problem

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
            outcome = guard.call(_loader(found))
            if outcome.error is not None:
                problems.append(load_problem(found, outcome.error))
                continue
            faults = []
            for key, value in _values(found, outcome.value):
                if fault := _fault(key, value, kind):
                    faults.append(fault)
                else:
                    provided.append(Provided(key, value, found.distribution, found.version))
            if faults:
                problems.append(problem(found, "; ".join(faults)))
            elif outcome.printed:
                problems.append(problem(found, f"prints while it is loaded: {outcome.printed!r:.60}", loaded=True))
    return provided, problems


def _loader(found: Registered) -> Callable[[], object]:
    def load() -> object:
        loaded = found.entry_point.load()
        return loaded() if callable(loaded) else loaded

    return load


def _values(found: Registered, loaded: object) -> Iterator[tuple[Any, Any]]:
    if isinstance(loaded, dict):
        yield from loaded.items()
    else:
        yield found.entry_point.name, loaded


def _fault(key: object, value: object, kind: type) -> str:
    """Say why a value cannot be used under a key; nothing if it can."""
    if not isinstance(key, str) or not isinstance(value, kind):
        return f"gives {_described(value)} for {key!r} where a {kind.__name__} is expected"
    if fault := key_fault(key):
        return f"the key {key!r:.60} {fault}"
    if wrong := _wrong_fields(value, kind):
        return f"the {kind.__name__} of {key!r} has {wrong}"
    if isinstance(value, BenchmarkMetadata) and find_module(value.module_path) is None:
        return f"the {kind.__name__} of {key!r} names the module {value.module_path!r}, which does not exist"
    return ""


def _wrong_fields(value: object, kind: type) -> str:
    """Say which fields hold what they must not, since dataclasses take anything; nothing if all is well."""
    wrong = []
    for name, allowed in _field_types(kind):
        held = getattr(value, name)
        if not _fits(held, allowed):
            wrong.append(f"{_described(held)} as {name}")
        elif unfit := _unfit_text(held):
            wrong.append(f"{unfit} in {name}")
    return " and ".join(wrong)


@cache
def _field_types(kind: Any) -> Sequence[tuple[str, Any]]:
    """Return name and type of each field of one of our dataclasses; all its sequences hold texts."""
    return [(f.name, Sequence if get_origin(f.type) is Sequence else f.type) for f in fields(kind)]


def _fits(value: object, allowed: Any) -> bool:
    if allowed is Sequence:  # any collection will do, such as a set of tags
        return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    return isinstance(value, allowed)


def _unfit_text(held: object) -> str:
    """Say what makes a text, or one of several, unfit to be shown; nothing if all are fit."""
    parts = vars(held).values() if isinstance(held, DatasetSource) else held
    texts = parts if isinstance(parts, Collection) and not isinstance(parts, str) else [parts]
    for text in texts:
        if not isinstance(text, str) or (text.isprintable() and len(text) <= MOST_CHARACTERS):
            continue
        if len(text) > MOST_CHARACTERS:
            return f"{len(text):,} characters (the most are {MOST_CHARACTERS:,})"
        if control := unprintable(text):
            return f"the control character {control[0]!r}"
    return ""


def _described(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
