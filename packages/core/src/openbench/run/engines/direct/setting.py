"""What all samples of a task have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelName
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

from openbench.run.engines.direct.qualify import steps_of


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all samples of a task have in common.

    Attributes:
        model: The model.
        model_name: Its name, as solvers see it.
        config: How it generates.
        steps: The solvers, in order.
        scorers: The scorers by the names that their scores get.
        retries: How often a sample that failed runs again.
        caches: Whether responses are cached.
    """

    model: Model
    model_name: ModelName
    config: GenerateConfig
    steps: Sequence[Solver]
    scorers: Mapping[str, Scorer]
    retries: int = 0
    caches: bool = False


def setting_of(task: Task, model: Model, header: EvalLog, *, score: bool) -> Setting:
    """Return the setting of a task.

    Args:
        task: The task.
        model: Its model.
        header: The head of its log, with what inspect made of its settings.
        score: Whether samples are scored.
    """
    return Setting(
        model=model,
        model_name=ModelName(model),
        config=header.plan.config,
        steps=steps_of(task.solver),
        scorers=_named(task.scorer or () if score else ()),
        retries=header.eval.config.retry_on_error or 0,
        caches=bool(model.config.merge(header.plan.config).cache),
    )


def _named(scorers: Sequence[Scorer]) -> dict[str, Scorer]:
    """Name scorers as inspect does: the second `includes` is `includes1`."""
    named: dict[str, Scorer] = {}
    for scorer in scorers:
        base = registry_info(scorer).name.rpartition("/")[2]
        candidates = (f"{base}{number or ''}" for number in count())
        named[next(name for name in candidates if name not in named)] = scorer
    return named
