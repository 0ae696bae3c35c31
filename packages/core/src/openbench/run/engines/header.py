"""What inspect itself sets up for a task: the head of its log, and a context in which models and roles are known."""

from collections.abc import Mapping
from contextvars import Context, copy_context
from typing import Any

from inspect_ai import Task
from inspect_ai.hooks import Hooks, RunStart, hooks
from inspect_ai.log import EvalLog, transcript
from inspect_ai.model import GenerateConfig, Model

from openbench.errors import OpenbenchError
from openbench.run.engines.options import inspect_options
from openbench.run.inspect_eval import run_inspect
from openbench.run.plan import Plan

JSON = "json"


_contexts: list[Context] | None = None


@hooks(name="openbench_header", description="Lets samples run outside of inspect's engine as in it.")
class ContextHooks(Hooks):
    """Keeps a copy of the context in which inspect runs a task."""

    def enabled(self) -> bool:
        """Return whether a context is waited for."""
        return _contexts is not None

    async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002 - inspect's signature
        """Copy the context: models are resolved, and no sample has begun."""
        if _contexts is not None:
            _contexts.append(copy_context())


def begin(task: Task, plan: Plan, roles: Mapping[str, Model]) -> tuple[EvalLog, Context]:
    """Let inspect begin a task without running its samples.

    inspect gives the samples ids that have none, checks them, and makes the head of the log and its file. In the
    context, `get_model()` gives the task's model, and roles give theirs with what they inherit, as in a sample.

    Args:
        task: The task.
        plan: The plan that it belongs to.
        roles: Models by role.

    Returns:
        The log, with the status `started` and without samples; and the context.

    Raises:
        OpenbenchError: inspect refused to begin, or this version of it keeps contexts elsewhere.
    """
    global _contexts  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _contexts = contexts = list[Context]()
    try:
        # In a context that is empty: the samples must not inherit a transcript, which would hold all that they ask.
        logs = Context().run(
            run_inspect,
            task,
            display="none",
            model=task.model,
            model_roles={**(task.model_roles or {}), **roles} or None,
            run_samples=False,
            **{"log_format": JSON, **inspect_options(plan)},
            **_said(task.config.merge(GenerateConfig(**plan.generate))),
        )
    finally:
        _contexts = None
    if not logs:  # inspect returns nothing when it is interrupted
        raise KeyboardInterrupt
    if error := logs[0].error:
        raise OpenbenchError(error.message)
    if not contexts or contexts[0].copy().run(transcript) is contexts[0].copy().run(transcript):
        raise OpenbenchError(
            "the direct engine cannot be used with this version of inspect-ai, which runs samples in another way. Use "
            "--engine inspect."
        )
    return logs[0], contexts[0]


def _said(config: GenerateConfig) -> dict[str, Any]:
    """Return the settings that are given, as they are: a dump would take objects apart."""
    given = {name: getattr(config, name) for name in type(config).model_fields}
    return {name: value for name, value in given.items() if value is not None}
