"""A scorer or solver that a name was resolved to: where it comes from, and what makes it."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Generic, TypeVar, get_args

from openbench.errors import UsageError
from openbench.registry.components.offers import Kind
from openbench.registry.problems import Problem

T = TypeVar("T")

METADATA_KEY = "openbench"
"""Where a scorer's metadata in a log says who provides it, as `provenance` has it."""


@dataclass(frozen=True)
class Component(Generic[T]):
    """A scorer or solver that can be made.

    Attributes:
        kind: Which of both.
        name: Its name, as whoever provides it writes it; for a file, what the user wrote.
        factory: What makes it.
        distribution: The distribution that provides it; None for a file.
        version: The version of that distribution.
        rule: What decided (`openbench.registry.resolution.RULES`); `only` where nothing had to, `path` for a file.
        why: The same in words.
        in_place_of: The distributions, with their versions, whose place it takes.
        not_loaded: What else has the name and cannot be loaded, so that it took no part.
    """

    kind: Kind
    name: str
    factory: Callable[..., T]
    distribution: str | None
    version: str | None
    rule: str
    why: str = ""
    in_place_of: Sequence[str] = ()
    not_loaded: Sequence[Problem] = ()

    def __str__(self) -> str:
        origin = f" ({self.distribution} {self.version})" if self.distribution else ""
        return f"the {self.kind} {self.name}{origin}"

    def create(self, /, **arguments: Any) -> T:
        """Make it. Its metadata in inspect's registry, and so a scorer's in the log, get its `provenance`.

        Raises:
            UsageError: It does not take an argument, needs one that is not given, or refuses a value.
        """
        from inspect_ai.util import registry_info  # noqa: PLC0415 - only who uses a component pays for it

        self._check(arguments)
        try:
            made = self.factory(**arguments)
        except (UsageError, ValueError, TypeError) as error:
            given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            raise UsageError(f"{_capital(self)} cannot be made{' with ' if given else ''}{given}: {error}") from error
        registry_info(made).metadata[METADATA_KEY] = provenance(self)
        return made

    def _check(self, given: Mapping[str, Any]) -> None:
        takes, needs, further = _arguments(self.factory)
        for name in given:
            if name not in takes and not further:
                close = get_close_matches(name, takes, n=1)
                hint = f"Did you mean {close[0]!r}? " if close else ""
                known = ", ".join(takes) or "none"
                raise UsageError(f"{_capital(self)} takes no argument {name!r}. {hint}It takes: {known}.")
        if missing := [name for name in needs if name not in given]:
            raise UsageError(f"{_capital(self)} needs an argument that is not given: {', '.join(missing)}.")


def provenance(component: Component[Any]) -> dict[str, Any]:
    """Return what a log says of where a scorer or solver came from, as plain data."""
    return {
        "kind": component.kind,
        "name": component.name,
        "distribution": component.distribution,
        "version": component.version,
        "rule": component.rule,
        "in_place_of": list(component.in_place_of),
    }


def _arguments(factory: Callable[..., Any]) -> tuple[list[str], list[str], bool]:
    """Return the names of the arguments that a factory takes and needs, and whether it takes any further ones."""
    takes, needs, further = [], [], False
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            # `**kwargs: Unpack[Options]` are the keys of a TypedDict, which python does not check.
            options = next(iter(get_args(parameter.annotation)), None)
            keys = getattr(options, "__required_keys__", None)
            further = keys is None
            takes += sorted({*(keys or ()), *getattr(options, "__optional_keys__", ())})
            needs += sorted(keys or ())
        elif parameter.kind in {parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY}:
            takes.append(parameter.name)
            needs += [parameter.name] if parameter.default is parameter.empty else []
    return takes, needs, further


def _capital(component: Component[Any]) -> str:
    text = str(component)
    return text[0].upper() + text[1:]
