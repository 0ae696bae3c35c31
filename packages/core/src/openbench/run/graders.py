"""Makes graders before they are needed, so that a missing one is known before the answers are paid for."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from openbench.errors import UsageError
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec
from openbench.scorers import GRADER_ROLE
from openbench.scorers.model_graded import DEFAULT_GRADER_KEY, GRADER_ARGUMENTS

_INSPECTS_OWN = frozenset({"inspect_ai/model_graded_qa", "inspect_ai/model_graded_fact"})


def check_graders(benchmark: str, scorers: Iterable[Scorer], roles: Collection[str]) -> None:
    """Make each grader that scorers will ask: that of their arguments, else of the role, else their default.

    Args:
        benchmark: The benchmark's name.
        scorers: The scorers; checked are those that declare a `default_grader`, and Inspect's own.
        roles: The roles that have models.

    Raises:
        UsageError: A grader cannot be made.
    """
    for name, default, given in _graded(scorers):
        for argument, grader in given:
            if isinstance(grader, str):  # otherwise it is a model already
                _check(benchmark, grader, f"name another in {argument} of {name.rpartition('/')[2]}")
        if default and not given and GRADER_ROLE not in roles:
            _check(benchmark, default, f"name another with --model-role {GRADER_ROLE}=provider/model")


def graders_of(scorers: Iterable[Scorer], roles: Mapping[str, object], evaluated: str) -> list[str]:
    """Return the names of the graders that scorers ask about a sample, once for each certain request.

    Args:
        scorers: The scorers; only those that declare a `default_grader`, and Inspect's own, ask a grader.
        roles: Models by role.
        evaluated: The model that is evaluated, which Inspect's own scorers fall back on.
    """
    names: list[str] = []
    for _, default, given in _graded(scorers):
        names += [str(grader) for _, grader in given] or [str(roles.get(GRADER_ROLE, default or evaluated))]
    return names


def _graded(scorers: Iterable[Scorer]) -> Iterator[tuple[str, str | None, list[tuple[str, object]]]]:
    """Yield the name, the default grader and the graders in the arguments of each scorer that asks one."""
    for scorer in scorers:
        info = registry_info(scorer)
        default = info.metadata.get(DEFAULT_GRADER_KEY)
        if default or info.name in _INSPECTS_OWN:  # an argument of another's may mean another kind of model
            yield info.name, default, list(_given(scorer))


def _given(scorer: Scorer) -> Iterator[tuple[str, object]]:
    """Yield the graders in a scorer's own arguments, each after the argument's name."""
    # Inspect logs these as the scorer's options, and has no function that reads them from a scorer.
    recorded: Mapping[str, Any] = getattr(scorer, "__registry_params__", {})
    for argument in GRADER_ARGUMENTS:
        value = recorded.get(argument)
        for name in value if isinstance(value, list) else [value]:
            if name is not None:
                yield argument, name


def _check(benchmark: str, name: str, way_out: str) -> None:
    try:
        make_model(ModelSpec(name=name))
    except UsageError as error:
        raise UsageError(
            f"{benchmark}: its grader cannot be made: {str(error).rstrip('.')}. Set its key, or {way_out}."
        ) from error
