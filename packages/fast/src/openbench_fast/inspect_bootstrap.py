"""Lets Inspect set up a task: the head of its log, and a context in which models and roles are known."""

from collections.abc import Mapping
from contextvars import Context, copy_context

from inspect_ai import Task
from inspect_ai.hooks import Hooks, RunStart, hooks
from inspect_ai.log import EvalLog, transcript
from inspect_ai.model import Model

from openbench.errors import OpenbenchError
from openbench.run import inspect_engine
from openbench.run.plan import Plan

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
    """Let Inspect begin a task without running its samples.

    Inspect gives the samples ids that have none, checks them, and makes the head of the log and its file. In the
    context, `get_model()` gives the task's model, and roles give theirs with what they inherit, as in a sample.

    Args:
        task: The task.
        plan: The plan that it belongs to.
        roles: Models by role.

    Returns:
        The log, with the status `started` and without samples; and the context.

    Raises:
        OpenbenchError: Inspect refused to begin, or this version of it keeps contexts elsewhere.
    """
    global _contexts  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _contexts = contexts = list[Context]()
    options = {} if "log_format" in plan.options else {"log_format": "json"}
    try:
        # In a context that is empty: the samples must not inherit a transcript, which would hold all that they ask.
        log = Context().run(inspect_engine.begin, task, plan, roles, **options)
    finally:
        _contexts = None
    if not contexts or contexts[0].copy().run(transcript) is contexts[0].copy().run(transcript):
        raise OpenbenchError(
            "openbench-fast cannot be used with this version of inspect-ai, which runs samples in another way. Use "
            "--engine inspect."
        )
    return log, contexts[0]
