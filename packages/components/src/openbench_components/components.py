"""Finds scorers and solvers by name: short names, files, and names in Inspect's registry."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, overload

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.discovery import Registered, perhaps_left_out, registered
from openbench.registry.names import canonical, is_path, key_fault, normalized
from openbench.registry.plugin_loader import PluginError, described_error, load
from openbench.registry.resolution import ONLY, not_provided
from openbench.registry.versions import CORE, distribution_of
from openbench_local.imports import import_file, make_importable

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

T = TypeVar("T")
Kind = Literal["scorer", "solver"]
Factory = Callable[..., Any]


ENTRY_POINTS: Mapping[Kind, str] = {"scorer": "openbench.scorers", "solver": "openbench.solvers"}
_INSPECT = "inspect-ai"
_MORE_SCORERS = "openbench-scorers"

_CORE_SCORERS = {
    "exact": "openbench.scorers.exact:exact",
    "mcq": "openbench.scorers.mcq:mcq_scorer",
    "mcq_scorer": "openbench.scorers.mcq:mcq_scorer",  # its name in logs
    "pattern": "openbench.scorers.pattern:pattern",
}
"""The short names of core's scorers; solvers come from plugins."""

# Inspect's scorers and solvers whose arguments are plain values, not scorers, tools or functions.
_INSPECTS: Mapping[Kind, str] = {
    "scorer": "answer choice exact f1 includes match math model_graded_fact model_graded_qa pattern perplexity "
    "precomputed_scores target_perplexity",
    "solver": "assistant_message chain_of_thought generate multiple_choice prompt_template self_critique "
    "system_message user_message",
}


@dataclass(frozen=True)
class Component(Generic[T]):
    """A scorer or solver that can be created.

    Attributes:
        kind: `scorer` or `solver`.
        name: The name, as written by its provider; for a file, the user's reference.
        factory: The function that creates it.
        distribution: The distribution that provides it; None for a file.
        version: The version of that distribution.
        rule: Why it was selected: it is the `only` one with the name, the reference has `chosen` its distribution, the
            others are `builtin`, or it is in a file (`path`).
        overrides: The distributions that it overrides, with versions.
    """

    kind: Kind
    name: str
    factory: Callable[..., T]
    distribution: str | None
    version: str | None
    rule: str
    overrides: Sequence[str] = ()

    def __str__(self) -> str:
        origin = f" ({self.distribution} {self.version})" if self.distribution else ""
        return f"the {self.kind} {self.name}{origin}"

    def create(self, /, **arguments: Any) -> T:
        """Create it, with its `provenance` as metadata in Inspect's registry and, for a scorer, in the log."""
        from inspect_ai.util import registry_info  # noqa: PLC0415 - it takes seconds, and only components need it

        from openbench.tasks.provenance import METADATA_KEY  # noqa: PLC0415 - likewise

        label = f"The{str(self)[3:]}"
        takes, further = _parameters(self.factory)
        if unknown := [] if further else sorted(arguments.keys() - takes):
            raise UsageError(f"{label} takes no argument {unknown[0]!r}. It takes: {', '.join(takes) or 'none'}.")
        try:
            made = self.factory(**arguments)
        except (UsageError, ValueError, TypeError, LookupError) as error:
            given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
            raise UsageError(f"{label} cannot be created{' with ' if given else ''}{given}: {error}") from error
        registry_info(made).metadata[METADATA_KEY] = provenance(self)
        return made


def provenance(component: Component[Any]) -> dict[str, Any]:
    """Return the log entry with the provenance of a scorer or solver, as plain data."""
    return {
        "kind": component.kind,
        "name": component.name,
        "distribution": component.distribution,
        "version": component.version,
        "rule": component.rule,
        "in_place_of": list(component.overrides),
    }


def _parameters(factory: Factory) -> tuple[list[str], bool]:
    """Return the names of a factory's parameters, and whether it also accepts others."""
    names: list[str] = []
    further = False
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            # `**kwargs: Unpack[Options]`: the keys of a TypedDict, which Python does not check.
            options = next(iter(get_args(parameter.annotation)), None)
            further = options is None
            names += getattr(options, "__annotations__", ())
        else:
            names.append(parameter.name)
    return names, further


@overload
def find_component(
    kind: Literal["scorer"], reference: str, *, directory: Path | None = None
) -> "Component[Scorer]": ...
@overload
def find_component(
    kind: Literal["solver"], reference: str, *, directory: Path | None = None
) -> "Component[Solver]": ...
def find_component(kind: Kind, reference: str, *, directory: Path | None = None) -> Component[Any]:
    """Find a scorer or solver by reference.

    If several have the short name, only the selected one is imported.

    Args:
        kind: `scorer` or `solver`.
        reference: A short name, `name@distribution`, `file.py`, `file.py@name`, or Inspect's `package/name`.
        directory: The directory of files; by default, the working directory.

    Raises:
        UnknownNameError: Nothing provides the name, or the given distribution does not.
        UsageError: Several distributions provide it and nothing decides, or it cannot be loaded.
    """
    if is_path(reference.rpartition("@")[0]) or reference.endswith(".py"):
        return _in_file(kind, reference, directory or Path.cwd())
    if "/" in reference:
        return _in_inspects_registry(kind, reference)
    return _by_short_name(kind, reference)


def component_names(kind: Kind) -> list[str]:
    """Return the short names of a kind, sorted, without loading anything."""
    return sorted({each.name for each in _offers(kind)})


def _offers(kind: Kind) -> list[Registered]:
    """Return everything with a short name, without loading it, in order of precedence: plugins, core, Inspect."""
    group, core, inspects = ENTRY_POINTS[kind], version(CORE), version(_INSPECT)
    ours = _CORE_SCORERS if kind == "scorer" else {}
    return [
        *(found for found in registered(group) if not key_fault(found.name)),
        *(Registered(name, value, group, CORE, core) for name, value in ours.items()),
        *(Registered(name, f"inspect_ai.{kind}:{name}", group, _INSPECT, inspects) for name in _INSPECTS[kind].split()),
    ]


def _by_short_name(kind: Kind, reference: str) -> Component[Any]:
    name, at, distribution = reference.partition("@")
    named = [each for each in _offers(kind) if normalized(each.name) == normalized(name)]
    if not named:
        raise UnknownNameError(_unknown(kind, name))
    fitting = [each for each in named if canonical(each.distribution) == canonical(distribution)] if at else named
    if not fitting:
        raise UnknownNameError(not_provided(name, distribution, [each.distribution for each in named]))
    winner, *others = fitting
    if others and others[0].distribution not in {CORE, _INSPECT}:
        raise UsageError(_conflict(fitting))
    try:
        factory = load_factory(kind, winner)
    except PluginError as error:
        raise UsageError(f"{winner.name}: {error}") from error.__cause__
    overridden = [str(each) for each in named if each is not winner]
    rule = ONLY if not overridden else "chosen" if at else "builtin"
    return Component(kind, winner.name, factory, winner.distribution, winner.version, rule, overridden)


def _conflict(offers: Sequence[Registered]) -> str:
    plugins = [each for each in offers if each.distribution not in {CORE, _INSPECT}]
    choices = " or ".join(f"{plugins[0].name}@{each.distribution}" for each in plugins)
    names = ", ".join(map(str, plugins))
    return f"{plugins[0].name}: several distributions provide this name: {names}. Say which one you mean: {choices}."


def load_factory(kind: Kind, found: Registered) -> Factory:
    """Load the scorer or solver of an entry point; raises `PluginError`."""
    import inspect_ai.util  # noqa: F401, PLC0415 - it takes seconds, not counted as the plugin's

    def fits(it: Any) -> Factory | None:
        return it if _registered_name(kind, it) else None

    return load(found, fits, f"a factory decorated with @{kind}")


def _registered_name(kind: Kind, it: object) -> str:
    """Return the name of a factory of a kind in Inspect's registry; empty if it is not registered."""
    from inspect_ai.util import registry_info  # noqa: PLC0415 - it takes seconds, and only components need it

    try:
        info = registry_info(it)
    except ValueError:
        return ""
    return str(info.name) if callable(it) and info.type == kind else ""


def _unknown(kind: Kind, name: str) -> str:
    known = component_names(kind)
    close = get_close_matches(normalized(name), known, n=1, cutoff=0.75)
    left_out = perhaps_left_out()
    found = f"Did you mean {close[0]!r}?{left_out}" if close else f"Known: {', '.join(known)}{left_out}."
    installed = _MORE_SCORERS in {each.distribution for each in registered(ENTRY_POINTS["scorer"])}
    return f"Unknown {kind} {name!r}. {found}{'' if kind == 'solver' or installed else f' {_MORE_SCORERS} has more.'}"


def _in_file(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    """Import a file and return the named scorer or solver, or the only one in it."""
    file, at, name = reference.rpartition("@") if "@" in reference else (reference, "", "")
    try:
        path = (directory / file).resolve()
        make_importable(path.parent)
        module = import_file(path, path.stem)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{file} cannot be imported: {described_error(error)}") from error
    if module is None:
        raise UsageError(f"{file}: there is no such Python file.")
    own = [each for each, it in vars(module).items() if _registered_name(kind, it) and it.__module__ == module.__name__]
    if not at and len(own) != 1:
        several = f"several {kind}s: {', '.join(own)}. Name one, as in {file}@{own[0]}" if own else ""
        raise UsageError(f"{file} has {several or f'no function decorated with @{kind}'}.")
    name = name or own[0]
    factory: Any = getattr(module, name, None)
    if not _registered_name(kind, factory):
        raise UsageError(f"{file} has no function {name!r} that is decorated with @{kind}.")
    return Component(kind, f"{file}@{name}", factory, None, None, "path")


def _in_inspects_registry(kind: Kind, reference: str) -> Component[Any]:
    """Return a scorer or solver by its name in Inspect's registry, `package/name`."""
    from inspect_ai.util import registry_create  # noqa: PLC0415 - it takes seconds, and only components need it

    package, name = reference.partition("/")[0], reference.rpartition("/")[2]
    found = distribution_of(package) if package.isidentifier() else None
    if found is None:
        raise UsageError(f"{reference}: no installed distribution provides the package {package!r}.")
    factory: Factory = partial(registry_create, kind, reference)
    for point in entry_points(group="inspect_ai", name=package):
        # Only the part after the package is compared, since an editable install may be registered without a prefix.
        own = (it for it in vars(point.load()).values() if _registered_name(kind, it).rpartition("/")[2] == name)
        factory = next(own, factory)
    return Component(kind, reference, factory, *found, ONLY)
