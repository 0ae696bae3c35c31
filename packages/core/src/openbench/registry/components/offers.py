"""What can be had under a short name: the kernel's and inspect's own scorers and solvers, and those of plugins."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, version
from typing import Any, Literal, get_args

from openbench.registry.discovery import Provided
from openbench.registry.installed import SCORERS, SOLVERS, Registered, registered
from openbench.registry.names import is_distribution, key_fault, normalized
from openbench.registry.plugins import load
from openbench.registry.problems import Problem, problem

Kind = Literal["scorer", "solver"]
Factory = Callable[..., Any]

KINDS: tuple[Kind, ...] = get_args(Kind)
GROUPS: Mapping[Kind, str] = {"scorer": SCORERS, "solver": SOLVERS}
CORE, INSPECT = "openbench-core", "inspect-ai"

_KERNEL: Mapping[Kind, Mapping[str, str]] = {
    "scorer": {
        "boxed": "openbench.scorers.boxed:boxed",
        "choice": "openbench.scorers.choice:choice",
        "exact": "openbench.scorers.exact:exact",
        "fallback": "openbench.scorers.fallback:fallback",
        "includes": "openbench.scorers.includes:includes",
        "match_numeric": "openbench.scorers.numeric:numeric",
        "mcq": "openbench.scorers.mcq:mcq_scorer",
        "mcq_scorer": "openbench.scorers.mcq:mcq_scorer",  # as logs name it
        "numeric": "openbench.scorers.numeric:numeric",
        "pattern": "openbench.scorers.pattern:pattern",
        "ranking": "openbench.scorers.ranking:ranking",
    },
    "solver": {
        "cue": "openbench.solvers.cue:cue",
        "rank": "openbench.solvers.rank:rank",
    },
}
# Of inspect's own, those whose arguments can be written down: no other scorers, tools or functions.
_INSPECT: Mapping[Kind, tuple[str, ...]] = {
    "scorer": (
        "answer",
        "choice",
        "exact",
        "f1",
        "includes",
        "match",
        "math",
        "model_graded_fact",
        "model_graded_qa",
        "pattern",
        "perplexity",
        "precomputed_scores",
        "target_perplexity",
    ),
    "solver": (
        "assistant_message",
        "chain_of_thought",
        "generate",
        "multiple_choice",
        "prompt_template",
        "self_critique",
        "system_message",
        "user_message",
    ),
}


@dataclass(frozen=True)
class Offer:
    """An entry point of a scorer or solver, and what it says of its place among others of its name.

    Attributes:
        found: The entry point.
        overrides: The distribution whose place it takes.
        builtin: Whether any other takes its place.
        factory: What makes the scorer or solver; None before it is loaded.
    """

    found: Registered
    overrides: str | None = None
    builtin: bool = False
    factory: Factory | None = None

    @property
    def known(self) -> bool:
        """Whether its claims are known: plugins' only once they are loaded."""
        return self.factory is not None or self.found.distribution in {CORE, INSPECT}


def offers(kind: Kind) -> Iterator[Provided[Offer]]:
    """Yield what is offered of a kind, the kernel's first; what plugins claim is not known before they are loaded."""
    group, core, inspect = GROUPS[kind], version(CORE), version(INSPECT)
    for name, value in _KERNEL[kind].items():
        found = Registered(EntryPoint(name, value, group), CORE, core)
        yield _provided(Offer(found, overrides=INSPECT, builtin=True))  # exact, includes and pattern are inspect's, too
    for name in _INSPECT[kind]:
        found = Registered(EntryPoint(name, f"inspect_ai.{kind}:{name}", group), INSPECT, inspect)
        yield _provided(Offer(found, builtin=True))
    for found in registered(group):
        if not key_fault(found.name):
            yield _provided(Offer(found))


def faults(kind: Kind) -> Iterator[Problem]:
    """Yield what is wrong with entry points as they are written: names that cannot be typed, or are written twice."""
    first: dict[tuple[str, str], str] = {}
    for found in registered(GROUPS[kind]):
        other = first.setdefault((found.distribution, normalized(found.name)), found.name)
        if fault := key_fault(found.name):
            yield problem(found, f"the name {found.name!r:.60} {fault}")
        elif other != found.name:
            yield problem(found, f"{other!r} and {found.name!r} are one name; the first stands", loaded=True)


def loaded(kind: Kind, offer: Provided[Offer]) -> Provided[Offer]:
    """Load the factory of an offer, and read what it claims: `@scorer(..., overrides="acme-scorers")`, `builtin=True`.

    Raises:
        PluginError: It cannot be loaded, is no factory of this kind, or claims what cannot be.
    """
    import inspect_ai.util  # noqa: F401, PLC0415 - it takes seconds, and a plugin's time should not run meanwhile

    read = load(offer.value.found, lambda it: _read(kind, offer.value, it), f"a factory decorated with @{kind}")
    return replace(offer, value=read)


def registered_name(kind: Kind, it: object) -> str:
    """Return the name under which inspect has a factory of a kind; empty if it has none."""
    from inspect_ai.util import registry_info  # noqa: PLC0415 - only who uses a component pays for it

    try:
        info = registry_info(it)
    except ValueError:
        return ""
    return str(info.name) if callable(it) and info.type == kind else ""


def _read(kind: Kind, offer: Offer, it: Any) -> Offer | None:
    """Read what was loaded; it runs the plugin's code, and so under guard."""
    from inspect_ai.util import registry_info  # noqa: PLC0415 - likewise

    if not registered_name(kind, it):
        return None
    if offer.known:
        return replace(offer, factory=it)
    said = registry_info(it).metadata
    overrides, builtin = said.get("overrides"), said.get("builtin", False)
    if overrides is not None and not (isinstance(overrides, str) and is_distribution(overrides)):
        raise TypeError(f"overrides={overrides!r:.60} where the name of a distribution is expected")
    if not isinstance(builtin, bool):
        raise TypeError(f"builtin={builtin!r:.60} where True or False is expected")
    return Offer(offer.found, overrides, builtin, it)


def _provided(offer: Offer) -> Provided[Offer]:
    return Provided(offer.found.name, offer, offer.found.distribution, offer.found.version)
