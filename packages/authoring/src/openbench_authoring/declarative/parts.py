"""The solver and the scorer of a declaration, and where they come from."""

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, chain, prompt_template, solver, system_message
from inspect_ai.util import registry_info
from pydantic import ValidationError

from openbench.datasets import validation_message
from openbench.errors import UnknownNameError, UsageError
from openbench.registry.resolution import ONLY
from openbench.registry.versions import CORE
from openbench.tasks.solvers import static
from openbench_authoring.cue import CUE_KEY, answer_after_cue, cue
from openbench_authoring.declarative.config import BenchmarkConfig
from openbench_authoring.declarative.fields import METADATA_FIELDS, field_faults, raise_faults
from openbench_authoring.declarative.horangi import PROVIDED
from openbench_authoring.declarative.kinds import Kind as FieldKind
from openbench_authoring.declarative.kinds import anything
from openbench_components.components import Component, Kind, find_component, provenance
from openbench_scorers.languages import ANY

_MULTIPLE_CHOICE = frozenset({"multiple_choice", "korean_multiple_choice"})
_CHOICE = "choice"
_SCORERS, _READS_LETTERS = "openbench-scorers", frozenset({"choice", "mcq", "mcq_scorer"})


@dataclass(frozen=True)
class Parts:
    """The components of a task.

    Attributes:
        solver: The main solver.
        scorer: The scorer.
        components: Where both come from, for the log.
    """

    solver: Solver
    scorer: Scorer
    components: Sequence[Mapping[str, Any]]

    @property
    def offers_choices(self) -> bool:
        """Whether the solver writes the choices into the prompt."""
        return shows_choices(self.solver)

    @property
    def lettered(self) -> bool:
        """Whether targets are letters of choices."""
        return self.offers_choices or _registered(self.scorer) == _CHOICE


def parts_of(name: str, config: BenchmarkConfig) -> Parts:
    """Find and create the solver and the scorer of a declaration.

    Raises:
        UsageError: One is unknown, ambiguous, or refuses its arguments; both are checked.
    """
    made: dict[Kind, Any] = {}
    origins, faults = [], []
    asked: Mapping[Kind, tuple[Any, Mapping[str, Any]]] = {
        "solver": (config.solver, config.solver_args),
        "scorer": (config.scorer, config.scorer_args),
    }
    for kind, (given, arguments) in asked.items():
        try:
            made[kind], origin = made_of(kind, given, arguments)
        except UsageError as error:
            faults.append(str(error))
        else:
            origins.append(origin)
    raise_faults(name, faults)
    parts = Parts(made["solver"], made["scorer"], origins)
    if config.show_choices is False and parts.offers_choices:
        raise UsageError(f"{name}: show_choices is False, but the solver multiple_choice always shows the choices.")
    if has_cue(config) and parts.offers_choices:
        raise UsageError(
            f"{name}: the solver multiple_choice reads answers in a form of its own, which a cue would break. Ask "
            "with the solver generate, and score with mcq, or leave the cue out."
        )
    return parts


def shows_choices(asking: Solver) -> bool:
    """Return whether a solver writes a sample's choices into the prompt."""
    return _registered(asking) in _MULTIPLE_CHOICE


def made_of(kind: Kind, given: Any, arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Create a solver or scorer, and return it with its entry in the log.

    Args:
        kind: Solver or scorer.
        given: Its name, its factory, or the object itself.
        arguments: Its arguments.

    Raises:
        UsageError: The name is unknown or ambiguous, or it refuses its arguments.
    """
    component: Component[Any]
    if isinstance(given, str):
        component = _named(kind, given)
    else:
        label = _registered(given) or getattr(given, "__name__", type(given).__name__)
        factory = _giving(given) if _is_made(given) else given
        component = Component(kind, label, factory, None, None, ONLY)
    rest = dict(arguments)
    before = rest.pop("template", None) if kind == "solver" and given == "generate" else None
    if component.distribution in {CORE, _SCORERS} and component.name in _READS_LETTERS:
        rest.setdefault("language", ANY.name)  # a declaration does not say in which language models answer
    made = component.create(**rest)
    return (chain(prompt_template(str(before)), made) if before else made), provenance(component)


def _named(kind: Kind, name: str) -> Component[Any]:
    """Find a component by name: an installed one, else one of the author's own module `solvers` or `scorers`."""
    try:
        return find_component(kind, name)
    except UnknownNameError as error:
        if package := PROVIDED.get(name):
            raise UsageError(f"The {kind} {name!r} is part of {package}: pip install {package}.") from error
        with contextlib.suppress(ImportError):
            if factory := getattr(import_module(f"{kind}s"), name, None):
                return Component(kind, name, factory, None, None, ONLY)
        raise


def own_metadata(config: BenchmarkConfig) -> dict[str, Any]:
    """Return the keys of a declaration's metadata that are its author's own."""
    return {name: value for name, value in config.metadata.items() if name not in METADATA_FIELDS}


def solver_chain(config: BenchmarkConfig, asking: Solver | Sequence[Solver]) -> list[Solver]:
    """Return the solvers of a task: the system message, the cue, and the main solver."""
    steps = list(asking) if isinstance(asking, Sequence) else [asking]
    if config.system_message is not None:
        steps = [step for step in steps if _registered(step) != "system_message"]
        system = config.system_message
        steps = [*([system_message(system)] if system.strip() else []), *steps]
    return [cue(), *steps, drop_cue()] if has_cue(config) else steps


def generate_config(name: str, given: Mapping[str, Any]) -> GenerateConfig:
    """Return the table `generate` as Inspect's config.

    Raises:
        UsageError: A setting is unknown, or has an invalid value.
    """
    known: Mapping[str, FieldKind] = dict.fromkeys(GenerateConfig.model_fields, anything)
    raise_faults(name, field_faults(given, known, "generate."))
    try:
        return GenerateConfig(**given)
    except ValidationError as error:
        raise_faults(name, [f"generate.{validation_message(error)}."])
        raise


def has_cue(config: BenchmarkConfig) -> bool:
    """Return whether samples may have a cue."""
    return bool(config.cue) or CUE_KEY in config.field_mapping


@static
@solver
def drop_cue() -> Solver:
    """Remove a sample's cue from its answer: repeating it is scored like continuing it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect's signature
        cue_text = state.metadata.get(CUE_KEY)
        if cue_text and (answer := answer_after_cue(state.output.completion, cue_text)):
            state.output.completion = answer
        return state

    return solve


def _registered(it: object) -> str:
    """Return the name under which Inspect registered a solver or scorer, without its package; empty if it did not."""
    try:
        return str(registry_info(it).name).rpartition("/")[2]
    except ValueError:
        return ""


def _is_made(it: Any) -> bool:
    """Return whether something is a solver or scorer, which inspect awaits, rather than its factory."""
    called = it if inspect.isroutine(it) else getattr(it, "__call__", None)  # noqa: B004 - not whether it can be called
    return not isinstance(it, type) and inspect.iscoroutinefunction(called)


def _giving(it: Any) -> Callable[[], Any]:
    return lambda: it
