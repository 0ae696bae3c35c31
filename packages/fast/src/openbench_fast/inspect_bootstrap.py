"""Lets Inspect set up a task: its log header, and a context in which its models and roles are active."""

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


@hooks(name="openbench_header", description="Runs samples outside of Inspect's engine in the same context.")
class ContextHooks(Hooks):
    """Copies the context in which Inspect runs a task."""

    def enabled(self) -> bool:
        """Return whether a context is needed."""
        return _contexts is not None

    async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002 - inspect's signature
        """Copy the context, after models are resolved and before the first sample starts."""
        if _contexts is not None:
            _contexts.append(copy_context())


def begin(task: Task, plan: Plan, roles: Mapping[str, Model]) -> tuple[EvalLog, Context]:
    """Let Inspect begin a task without running its samples.

    Inspect assigns missing sample ids, checks the samples, and creates the log's header and file. In the context,
    `get_model()` returns the task's model, and roles return theirs with inherited settings, as in a sample.

    Args:
        task: The task.
        plan: The plan that it belongs to.
        roles: Models by role.

    Returns:
        The log, with the status `started` and without samples; and the context.

    Raises:
        OpenbenchError: Inspect refused to begin, or this version of Inspect handles contexts differently.
    """
    global _contexts  # noqa: PLW0603 - inspect makes one instance of a hook for the process
    _contexts = contexts = list[Context]()
    options = {} if "log_format" in plan.options else {"log_format": "json"}
    try:
        # In an empty context: the samples must not inherit a transcript, which would keep all of their requests.
        log = Context().run(inspect_engine.begin, task, plan, roles, **options)
    finally:
        _contexts = None
    if not contexts or contexts[0].copy().run(transcript) is contexts[0].copy().run(transcript):
        raise OpenbenchError(
            "openbench-fast does not work with this version of inspect-ai, which runs samples in another way. Use "
            "--engine inspect."
        )
    return log, contexts[0]
