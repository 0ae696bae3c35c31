"""The graders of a benchmark's scorers: creates them before a run, and counts their requests."""

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from openbench.errors import UsageError
from openbench.run.models import make_model
from openbench.run.plan import ModelSpec, Plan
from openbench.scorers.grading import GRADER_ROLE
from openbench_scorers.grading import (
    ALLOW_SELF_JUDGE,
    DEFAULT_GRADER_KEY,
    GRADER_ARGUMENTS,
    GRADER_REQUESTS_KEY,
    SELF_JUDGE_KEY,
    refuse_self_judging,
)

_GRADED_BY_INSPECT = frozenset({"inspect_ai/model_graded_qa", "inspect_ai/model_graded_fact"})


def check_graders(benchmark: str, task: Task, plan: Plan) -> None:
    """Create each grader of a task's scorers: that of their arguments, else of the role, else their default.

    Raises:
        UsageError: A grader cannot be created, or it is the evaluated model and a scorer refuses that.
    """
    if not plan.options.get("score", True):
        return
    scorers, own_roles = task.scorer or [], task.model_roles or {}
    for name, default, given in _graded(scorers):
        for argument, grader in given:
            if isinstance(grader, str):  # otherwise it is already a model
                _check_grader(benchmark, grader, f"name another in {argument} of {name.rpartition('/')[2]}")
        if default and not given and GRADER_ROLE not in {*plan.model_roles, *own_roles}:
            _check_grader(benchmark, default, f"name another with --model-role {GRADER_ROLE}=provider/model")
    roles = {**own_roles, **{role: spec.name for role, spec in plan.model_roles.items()}}
    for scorer in scorers:
        if registry_info(scorer).metadata.get(SELF_JUDGE_KEY) is False and not _arguments(scorer).get(ALLOW_SELF_JUDGE):
            try:
                refuse_self_judging(_graders(scorer, roles, str(task.model)), task.model)
            except UsageError as error:
                raise UsageError(f"{benchmark}: {error}") from error


def grader_requests(
    scorers: Iterable[Scorer], roles: Mapping[str, object], evaluated: str, samples: Sequence[Sample]
) -> Counter[str]:
    """Return the minimum number of requests to each grader of the scorers for all samples, by the grader's name."""
    counted: Counter[str] = Counter()
    for scorer in scorers:
        graders = _graders(scorer, roles, evaluated)
        requests = sum(map(_requests_of(scorer), samples)) if graders else 0
        for name in graders:
            counted[str(name)] += requests
    return counted


def _graders(scorer: Scorer, roles: Mapping[str, object], evaluated: str) -> list[object]:
    """Return the graders of a scorer: those of its arguments, else that of the role, else its default."""
    for _, default, given in _graded([scorer]):
        return [grader for _, grader in given] or [roles.get(GRADER_ROLE, default or evaluated)]
    return []


def _requests_of(scorer: Scorer) -> Callable[[Sample], int]:
    declared = registry_info(scorer).metadata.get(GRADER_REQUESTS_KEY, 1)
    if isinstance(declared, int):
        return lambda _: declared
    module, _, name = str(declared).partition(":")
    function: Callable[[Sample], int] = getattr(importlib.import_module(module), name)
    return function


def _graded(scorers: Iterable[Scorer]) -> Iterator[tuple[str, str | None, list[tuple[str, object]]]]:
    """Yield the name, the default grader and the graders in the arguments of each scorer that uses a grader."""
    for scorer in scorers:
        info = registry_info(scorer)
        default = info.metadata.get(DEFAULT_GRADER_KEY)
        if default or info.name in _GRADED_BY_INSPECT:  # in other scorers, such an argument need not be a grader
            yield info.name, default, list(_given(scorer))


def _given(scorer: Scorer) -> Iterator[tuple[str, str | Model]]:
    """Yield the graders in a scorer's own arguments, each after the argument's name."""
    recorded = _arguments(scorer)
    for argument in GRADER_ARGUMENTS:
        value = recorded.get(argument)
        for grader in value if isinstance(value, list) else [value]:
            if grader is not None:
                yield argument, grader


def _arguments(scorer: Scorer) -> Mapping[str, Any]:
    # Inspect logs these as the scorer's options, but has no function to read them from a scorer.
    recorded: Mapping[str, Any] = getattr(scorer, "__registry_params__", {})
    return recorded


def _check_grader(benchmark: str, name: str, remedy: str) -> None:
    try:
        make_model(ModelSpec(name=name))
    except UsageError as error:
        raise UsageError(
            f"{benchmark}: its grader cannot be made: {str(error).rstrip('.')}. Set its key, or {remedy}."
        ) from error
