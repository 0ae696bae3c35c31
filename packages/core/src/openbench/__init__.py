"""openbench: evaluate language models with benchmarks that are packages.

Importing this package costs nothing: what needs the engine underneath lives in its own modules
(`openbench.utils.mcq`, `openbench.scorers`, `openbench.run`) and is imported where it is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspect_ai import Task


def get_task(name: str, /, **task_args: Any) -> "Task":
    """Return the task of an installed benchmark, as `bench eval` builds it.

    Args:
        name: What `bench eval` calls it (`simpleqa`, `simpleqa@openbench-simpleqa`, a path), or the name that people
            read (`SimpleQA`, in any letter case).
        **task_args: Arguments of its task function.

    Returns:
        An Inspect task, whose metadata say under `openbench` what produced it.

    Raises:
        openbench.errors.UsageError: The name means none or several, or the arguments are wrong.
        openbench.errors.OpenbenchError: The benchmark cannot be imported, or its rows cannot be had.
    """
    from openbench.tasks.get import get_task as get  # noqa: PLC0415 - importing openbench stays free of inspect

    return get(name, task_args)
