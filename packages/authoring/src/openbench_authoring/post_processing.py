"""A task's post-processing of completions, which scorers can find again when a log is rescored."""

import sys
from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import TypedDict, cast

from openbench.errors import UsageError
from openbench_authoring.samples import Sample

PostProcess = Callable[[str, Sample], str]


class TaskReference(TypedDict):
    """A reference to a task's hook: the arguments of its scorers, which the log keeps."""

    task: str
    num_fewshot: int


def reference_to(task_class: type, num_fewshot: int) -> TaskReference:
    """Return a reference to a task's hook.

    Raises:
        UsageError: The class is not at the top level of a module, so a log could not be rescored.
    """
    reference = f"{task_class.__module__}:{task_class.__qualname__}"
    module = sys.modules.get(task_class.__module__)
    try:
        found = attrgetter(task_class.__qualname__)(module)
    except AttributeError:
        found = None
    if found is not task_class and "<locals>" in reference:
        raise UsageError(
            f"{reference}: a class that post-processes completions must stand at the top of a module, where it is "
            "found again when its logs are scored anew. Move it out of the function."
        )
    return {"task": reference, "num_fewshot": num_fewshot}


def post_process_of(reference: TaskReference) -> PostProcess:
    """Return the hook `post_process_generated_completion` of an instance created with only a number of examples.

    Raises:
        UsageError: The class cannot be found or created.
    """
    module, _, name = reference["task"].partition(":")
    try:
        made = attrgetter(name)(import_module(module))(reference["num_fewshot"])
    except (ImportError, AttributeError, TypeError) as error:
        raise UsageError(
            f"{reference['task']} cannot be made to post-process completions: {type(error).__name__}: {error}. It must "
            "be at the top of a module, and take the number of examples as its only required argument."
        ) from error
    return cast("PostProcess", made.post_process_generated_completion)
