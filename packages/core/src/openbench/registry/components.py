"""Finds scorers and solvers by name: short names, resolved by the rules of benchmarks, files, and Inspect's names."""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, get_args, overload

from openbench.errors import UnknownNameError, UsageError
from openbench.registry.discovery import SCORERS, SOLVERS, Problem, Registered, perhaps_left_out, registered
from openbench.registry.imports import import_file, make_importable
from openbench.registry.names import canonical, is_distribution, is_path, key_fault, normalized
from openbench.registry.plugin_loader import PluginError, described_error, load, load_problem, problem
from openbench.registry.resolution import ONLY, Choice, Provided, Resolved, not_provided, refusal, resolve
from openbench.registry.settings import Table, read_settings
from openbench.registry.versions import CORE

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
_INSPECT, _INSPECT_PACKAGE = "inspect-ai", "inspect_ai"
_MORE = "openbench-scorers"

_OURS = {
    "choice": "openbench.scorers.choice:choice",
    "exact": "openbench.scorers.exact:exact",
    "includes": "openbench.scorers.includes:includes",
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
        not_loaded: What else has the name and cannot be loaded, so that it took no part.
    """

    kind: Kind
    name: str
    factory: Callable[..., T]
    distribution: str | None
    version: str | None
    rule: str
    why: str = ""
    overrides: Sequence[str] = ()
    not_loaded: Sequence[Problem] = ()

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

    Of several that have a short name, only the winner is imported, unless nothing but their claims can decide.

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
    return sorted({each.key for each in _offers(kind)})


# --- short names ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Offer:
    """An entry point of a scorer or solver, and its claims: a plugin's are only known once it is loaded."""

    found: Registered
    overrides: str | None = None
    builtin: bool = False
    factory: Factory | None = None

    @property
    def known(self) -> bool:
        return self.factory is not None or self.found.distribution in {CORE, _INSPECT}


def _offers(kind: Kind) -> Iterator[Provided[_Offer]]:
    """Yield what has a short name, ours first."""
    group = _ENTRY_POINTS[kind]
    ours, inspects = version(CORE), version(_INSPECT)
    offers = [  # exact, includes and pattern are Inspect's, too
        _Offer(Registered(name, value, group, CORE, ours), overrides=_INSPECT, builtin=True)
        for name, value in (_OURS.items() if kind == "scorer" else ())
    ]
    offers += [
        _Offer(Registered(name, f"{_INSPECT_PACKAGE}.{kind}:{name}", group, _INSPECT, inspects), builtin=True)
        for name in _INSPECTS[kind].split()
    ]
    offers += [_Offer(found) for found in registered(group) if not key_fault(found.name)]
    for offer in offers:
        yield Provided(offer.found.name, offer, offer.found.distribution, offer.found.version)


def _candidates(kind: Kind) -> Mapping[str, Sequence[Provided[_Offer]]]:
    """Return what has each name, in the form in which names compare; of several of one distribution, the first."""
    named: defaultdict[str, dict[str, Provided[_Offer]]] = defaultdict(dict)
    for offer in _offers(kind):
        named[normalized(offer.key)].setdefault(canonical(offer.distribution), offer)
    return {name: [*offers.values()] for name, offers in named.items()}


def _by_short_name(kind: Kind, reference: str, directory: Path) -> Component[Any]:
    name, at, distribution = reference.partition("@")
    candidates = _candidates(kind).get(normalized(name))
    if not candidates:
        raise UnknownNameError(_unknown(kind, name))
    setting = read_settings(directory, _TABLES[kind]).choices.get(normalized(name))
    resolution, problems = _decide(kind, candidates, Choice(distribution, reference) if at else setting)
    if resolution is None:
        raise UsageError(f"{name}: {' '.join(f'{each}. {each.remedy}.' for each in problems)}")
    winner = resolution.winner
    if winner is None and at:
        raise UnknownNameError(not_provided(name, distribution, candidates))
    if winner is None:
        raise UsageError(refusal(resolution, f"{_setting_line(kind, resolution)} settles it for a project"))
    try:
        factory = winner.value.factory or _loaded(kind, winner).value.factory
    except PluginError as error:
        raise UsageError(f"{winner.key}: {error}") from error.__cause__
    assert factory is not None  # noqa: S101 - `_loaded` sets it
    others = [str(other) for other in resolution.overridden]
    origin = winner.key, factory, winner.distribution, winner.version
    return Component(kind, *origin, resolution.rule, resolution.why, others, problems)


def _decide(
    kind: Kind, candidates: Sequence[Provided[_Offer]], choice: Choice | None, *, load_all: bool = False
) -> tuple[Resolved[_Offer] | None, list[Problem]]:
    """Apply the rules; return the outcome, None if all are broken, and what is wrong with those that took no part.

    Plugins are only loaded for their claims, which do not matter where there is one, or where the user chooses.
    """
    if not load_all and (choice or len(candidates) == 1):
        return resolve(candidates, choice), []
    left, problems = [], []
    for candidate in candidates:
        try:
            left.append(candidate if candidate.value.known else _loaded(kind, candidate))
        except PluginError as error:
            problems.append(error.problem)
    return (resolve(left, choice) if left else None), problems


def _loaded(kind: Kind, offer: Provided[_Offer]) -> Provided[_Offer]:
    """Load the factory of an offer, and read its claims: `@scorer(..., overrides="acme-scorers")`, `builtin=True`."""
    from inspect_ai.util import registry_info  # noqa: PLC0415 - it takes seconds, which are not the plugin's

    def read(it: Any) -> _Offer | None:
        if not _registered_name(kind, it):
            return None
        if offer.value.known:
            return replace(offer.value, factory=it)
        claims = registry_info(it).metadata
        overrides, builtin = claims.get("overrides"), claims.get("builtin", False)
        if overrides is not None and not (isinstance(overrides, str) and is_distribution(overrides)):
            raise TypeError(f"overrides={overrides!r:.60} where the name of a distribution is expected")
        if not isinstance(builtin, bool):
            raise TypeError(f"builtin={builtin!r:.60} where True or False is expected")
        return _Offer(offer.value.found, overrides, builtin, it)

    return offer._replace(value=load(offer.value.found, read, f"a factory decorated with @{kind}"))


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
    offers = [*_offers(kind)]
    known = sorted({each.key for each in offers})
    close = get_close_matches(normalized(name), known, n=1, cutoff=0.75)
    left_out = perhaps_left_out()
    found = f"Did you mean {close[0]!r}?{left_out}" if close else f"Known: {', '.join(known)}{left_out}."
    more = "" if kind == "solver" or _MORE in {each.distribution for each in offers} else f" {_MORE} has more."
    return f"Unknown {kind} {name!r}. {found}{more}"


def survey(kind: Kind, directory: Path) -> Iterator[Problem]:
    """Load all short names of plugins, and yield what is wrong with them and with the project's settings of them."""
    settings = read_settings(directory, _TABLES[kind])
    first: dict[tuple[str, str], str] = {}
    for found in registered(_ENTRY_POINTS[kind]):
        other = first.setdefault((found.distribution, normalized(found.name)), found.name)
        if fault := key_fault(found.name):
            yield problem(found, f"the name {found.name!r:.60} {fault}")
        elif other != found.name:
            yield problem(found, f"{other!r} and {found.name!r} are one name; the first is used", loaded=True)
    named = _candidates(kind)
    for name, candidates in named.items():
        resolution, problems = _decide(kind, candidates, settings.choices.get(name), load_all=True)
        yield from problems
        if resolution and resolution.winner is None:
            candidate, names = resolution.candidates[0], ", ".join(map(str, resolution.candidates))
            remedy = f"Choose one: {_setting_line(kind, resolution)}"
            yield Problem(candidate.distribution, candidate.key, f"{resolution.why}: {names}", remedy)
    for name, choice in settings.choices.items():
        if name not in named:
            message = f"{choice.where} says that it provides the {kind} {name}, but no one does"
            yield Problem(choice.distribution, name, message, f"Install it: pip install {choice.distribution}")


# --- files, and names in Inspect's registry ---------------------------------------------------------------------------


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
    if not at:
        own = [each for each, it in vars(module).items() if _registered_name(kind, it)]
        own = [each for each in own if getattr(module, each).__module__ == module.__name__]  # not what it imports
        if not own:
            raise UsageError(f"{file} has no function that is decorated with @{kind}.")
        if len(own) > 1:
            raise UsageError(f"{file} has several {kind}s: {', '.join(own)}. Name one, as in {file}@{own[0]}.")
        name = own[0]
    factory = getattr(module, name, None)
    if factory is None:
        raise UsageError(f"{file} has no {kind} {name!r}.")
    if not _registered_name(kind, factory):
        raise UsageError(f"{file}: {name!r} is not decorated with @{kind}.")
    return Component(kind, f"{file}@{name}", factory, None, None, "path")


def _in_inspects_registry(kind: Kind, reference: str) -> Component[Any]:
    """Return a scorer or solver by the name that Inspect's registry has, `package/name`."""
    from inspect_ai.util import registry_create  # noqa: PLC0415 - only who uses a component pays for it

    package, name = reference.partition("/")[0], reference.rpartition("/")[2]
    found = _registers(kind, package, reference)
    try:
        module = found.load()
    except (Exception, SystemExit) as error:
        raise PluginError(load_problem(found, error)) from error
    # Only the part behind the package counts, since an editable install may be registered without a prefix.
    own = (it for it in vars(module).values() if _registered_name(kind, it).rpartition("/")[2] == name)
    factory = next(own, partial(registry_create, kind, reference))
    return Component(kind, reference, factory, found.distribution, found.version, ONLY)


def _registers(kind: Kind, package: str, reference: str) -> Registered:
    if package == _INSPECT_PACKAGE:
        return Registered(package, f"{package}.{kind}", package, _INSPECT, version(_INSPECT))
    for point in entry_points(group=_INSPECT_PACKAGE, name=package):
        if point.dist:
            return Registered(point.name, point.value, point.group, point.dist.name, point.dist.version)
    known = ", ".join(sorted({_INSPECT_PACKAGE, *entry_points(group=_INSPECT_PACKAGE).names}))
    raise UsageError(
        f"{reference}: no installed distribution registers anything with inspect as {package!r}. Installed: {known}."
    )
