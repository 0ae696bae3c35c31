"""What all samples of a task have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspect_ai import Task
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelName
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from openbench_fast.direct.supports import steps_of
from openbench_fast.inspect_private import scorer_names


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What all samples of a task have in common.

    Attributes:
        model: The model.
        model_name: Its name, as solvers see it.
        config: Its generation settings.
        steps: The solvers, in order.
        scorers: The scorers, by the names of their scores.
        retries: How often a failed sample is retried.
    """

    model: Model
    model_name: ModelName
    config: GenerateConfig
    steps: Sequence[Solver]
    scorers: Mapping[str, Scorer]
    retries: int = 0


def setting_of(task: Task, model: Model, header: EvalLog, *, score: bool) -> Setting:
    """Return the setting of a task.

    Args:
        task: The task.
        model: Its model.
        header: The header of its log, with the settings resolved by Inspect.
        score: Whether samples are scored.
    """
    scorers = task.scorer or [] if score else []
    return Setting(
        model=model,
        model_name=ModelName(model),
        config=header.plan.config,
        steps=steps_of(task.solver),
        scorers=dict(zip(scorer_names(scorers), scorers, strict=True)),
        retries=header.eval.config.retry_on_error or 0,
    )
