"""Finds scorers and solvers by name: short names, resolved by the rules of benchmarks, files, and Inspect's names."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, get_args, overload

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.discovery import SCORERS, SOLVERS, Problem, Registered, perhaps_left_out, registered
from openbench.registry.imports import import_file, make_importable
from openbench.registry.names import is_path, key_fault, normalized
from openbench.registry.plugin_loader import PluginError, described_error, load, problem
from openbench.registry.resolution import ONLY, Choice, Provided, Resolved, not_provided, refusal, resolve
from openbench.registry.settings import Table, read_settings
from openbench.registry.versions import CORE, distribution_of

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

T = TypeVar("T")
Kind = Literal["scorer", "solver"]
Factory = Callable[..., Any]

KINDS: tuple[Kind, ...] = get_args(Kind)
METADATA_KEY = "openbench"
"""Where a scorer's metadata in a log says who provides it, as `provenance` has it."""

_ENTRY_POINTS: Mapping[Kind, str] = {"scorer": SCORERS, "solver": SOLVERS}
_TABLES: Mapping[Kind, Table] = {"scorer": "scorers", "solver": "solvers"}
_INSPECT = "inspect-ai"
_MORE = "openbench-scorers"

_OURS = {
    "exact": "openbench.scorers.exact:exact",
    "mcq": "openbench.scorers.mcq:mcq_scorer",
    "mcq_scorer": "openbench.scorers.mcq:mcq_scorer",  # as logs name it
    "pattern": "openbench.scorers.pattern:pattern",
}
"""The short names of our own scorers; what adds solvers is a plugin."""

# Of Inspect's own, those whose arguments can be written down: no other scorers, tools or functions.
_INSPECTS: Mapping[Kind, str] = {
    "scorer": "answer choice exact f1 includes match math model_graded_fact model_graded_qa pattern perplexity "
    "precomputed_scores target_perplexity",
    "solver": "assistant_message chain_of_thought generate multiple_choice prompt_template self_critique "
    "system_message user_message",
}


@dataclass(frozen=True)
class Component(Generic[T]):
    """A scorer or solver that can be made.

    Attributes:
        kind: Which of both.
        name: Its name, as its provider writes it; for a file, what the user wrote.
        factory: What makes it.
        distribution: The distribution that provides it; None for a file.
        version: The version of that distribution.
        rule: What decided (`openbench.registry.resolution.RULES`); `only` where nothing had to, `path` for a file.
        why: The same in words.
        overrides: The distributions, with their versions, whose place it takes.
    """

    kind: Kind
    name: str
    factory: Callable[..., T]
    distribution: str | None
    version: str | None
    rule: str
    why: str = ""
    overrides: Sequence[str] = ()

    def __str__(self) -> str:
        origin = f" ({self.distribution} {self.version})" if self.distribution else ""
        return f"the {self.kind} {self.name}{origin}"

    def create(self, /, **arguments: Any) -> T:
        """Make it. Its metadata in Inspect's registry, and so a scorer's in the log, get its `provenance`."""
        from inspect_ai.util import registry_info  # noqa: PLC0415 - only who uses a component pays for it

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
    """Return what a log records of where a scorer or solver came from, as plain data."""
    return {
        "kind": component.kind,
        "name": component.name,
        "distribution": component.distribution,
        "version": component.version,
        "rule": component.rule,
        "in_place_of": list(component.overrides),
    }


def _parameters(factory: Factory) -> tuple[list[str], bool]:
    """Return the names of the arguments that a factory takes, and whether it takes any further ones."""
    names: list[str] = []
    further = False
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            # `**kwargs: Unpack[Options]` are the keys of a TypedDict, which Python does not check.
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
    """Find the scorer or solver that a reference means.

    Of several that have a short name, only the one that is used is imported.

    Args:
        kind: Which of both.
        reference: A short name, `name@distribution`, `file.py` or `file.py@name`, or `package/name` as Inspect has it.
        directory: Where settings are looked for, from it upward, and files; the working directory by default.

    Raises:
        UnknownNameError: No one provides the name, or that distribution does not.
        UsageError: Several do and nothing decides between them, or what it means cannot be loaded.
    """
    directory = directory or Path.cwd()
    if is_path(reference.rpartition("@")[0]) or reference.endswith(".py"):
        return _in_file(kind, reference, directory)
    if "/" in reference:
        return _in_inspects_registry(kind, reference)
    return _by_short_name(kind, reference, directory)


def component_names(kind: Kind) -> list[str]:
    """Return the short names of a kind, sorted; nothing is loaded."""
    return sorted({offer.key for offers in _candidates(kind).values() for offer in offers})


class _Offer(NamedTuple):
    """What has a short name, with its claims: core's goes before Inspect's, and a plugin's before both."""

    found: Registered
    overrides: str | None = None
    builtin: bool = False


def _candidates(kind: Kind) -> Mapping[str, Sequence[Provided[_Offer]]]:
    """Return what has each name, in the form in which names compare; nothing is loaded."""
    group = _ENTRY_POINTS[kind]
    ours, inspects = version(CORE), version(_INSPECT)
    offers = [
        _Offer(Registered(name, value, group, CORE, ours), overrides=_INSPECT, builtin=True)
        for name, value in (_OURS.items() if kind == "scorer" else ())
    ]
    offers += [
        _Offer(Registered(name, f"inspect_ai.{kind}:{name}", group, _INSPECT, inspects), builtin=True)
        for name in _INSPECTS[kind].split()
    ]
    offers += [_Offer(found) for found in registered(group) if not key_fault(found.name)]
    named: defaultdict[str, list[Provided[_Offer]]] = defaultdict(list)
    for offer in offers:
        found = offer.found
        named[normalized(found.name)].append(Provided(found.name, offer, found.distribution, found.version))
    return named


def _by_short_name(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    name, at, distribution = reference.partition("@")
    candidates = _candidates(kind).get(normalized(name))
    if not candidates:
        raise UnknownNameError(_unknown(kind, name))
    setting = read_settings(directory, _TABLES[kind]).choices.get(normalized(name))
    resolution = resolve(candidates, Choice(distribution, reference) if at else setting)
    winner = resolution.winner
    if winner is None and at:
        raise UnknownNameError(not_provided(name, distribution, candidates))
    if winner is None:
        raise UsageError(refusal(resolution, f"{_setting_line(kind, resolution)} settles it for a project"))
    try:
        factory = _loaded(kind, winner.value.found)
    except PluginError as error:
        raise UsageError(f"{winner.key}: {error}") from error.__cause__
    others = [str(other) for other in resolution.overridden]
    return Component(
        kind, winner.key, factory, winner.distribution, winner.version, resolution.rule, resolution.why, others
    )


def _loaded(kind: Kind, found: Registered) -> Factory:
    import inspect_ai.util  # noqa: F401, PLC0415 - it takes seconds, which are not the plugin's

    def fits(it: Any) -> Factory | None:
        return it if _registered_name(kind, it) else None

    return load(found, fits, f"a factory decorated with @{kind}")


def _registered_name(kind: Kind, it: object) -> str:
    """Return the name under which Inspect has a factory of a kind; empty if it has none."""
    from inspect_ai.util import registry_info  # noqa: PLC0415 - only who uses a component pays for it

    try:
        info = registry_info(it)
    except ValueError:
        return ""
    return str(info.name) if callable(it) and info.type == kind else ""


def _setting_line(kind: Kind, resolution: Resolved[_Offer]) -> str:
    """Return what a project writes to choose the first candidate, in words."""
    first = resolution.candidates[0]
    return f"'{first.key} = \"{first.distribution}\"' in [tool.openbench.{_TABLES[kind]}]"


def _unknown(kind: Kind, name: str) -> str:
    known = component_names(kind)
    close = get_close_matches(normalized(name), known, n=1, cutoff=0.75)
    left_out = perhaps_left_out()
    found = f"Did you mean {close[0]!r}?{left_out}" if close else f"Known: {', '.join(known)}{left_out}."
    installed = _MORE in {each.distribution for each in registered(SCORERS)}
    return f"Unknown {kind} {name!r}. {found}{'' if kind == 'solver' or installed else f' {_MORE} has more.'}"


def survey(kind: Kind, directory: Path) -> Iterator[Problem]:
    """Load all short names of plugins, and yield what is wrong with them, and which ones are in conflict."""
    for found in registered(_ENTRY_POINTS[kind]):
        try:
            if fault := key_fault(found.name):
                yield problem(found, f"the name {found.name!r:.60} {fault}")
            else:
                _loaded(kind, found)
        except PluginError as error:
            yield error.problem
    choices = read_settings(directory, _TABLES[kind]).choices
    for name, candidates in _candidates(kind).items():
        resolution = resolve(candidates, choices.get(name))
        if resolution.winner is None:
            first, names = resolution.candidates[0], ", ".join(map(str, resolution.candidates))
            remedy = f"Choose one: {_setting_line(kind, resolution)}"
            yield Problem(first.distribution, first.key, f"{resolution.why}: {names}", remedy)


def _in_file(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    """Import a file and return a scorer or solver in it: the one that is named, or the only one."""
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
        several = f"several {kind}s: {', '.join(own)}. Name one, as in {file}@{own[0]}" if own else f"no {kind}"
        raise UsageError(f"{file} has {several}.")
    name = name or own[0]
    factory = getattr(module, name, None)
    if not _registered_name(kind, factory):
        raise UsageError(f"{file} has no function {name!r} that is decorated with @{kind}.")
    return Component(kind, f"{file}@{name}", factory, None, None, "path")


def _in_inspects_registry(kind: Kind, reference: str) -> Component[Any]:
    """Return a scorer or solver by the name that Inspect's registry has, `package/name`."""
    from inspect_ai.util import registry_create  # noqa: PLC0415 - only who uses a component pays for it

    package = reference.partition("/")[0]
    found = distribution_of(package) if package.isidentifier() else None
    if found is None:
        raise UsageError(f"{reference}: no installed distribution has the package {package!r}.")
    return Component(kind, reference, partial(registry_create, kind, reference), *found, ONLY)
