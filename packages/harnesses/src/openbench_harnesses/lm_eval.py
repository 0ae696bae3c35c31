"""Tasks of lm-evaluation-harness: `lm-eval:arc_easy`.

Scanning its thousands of YAML files takes seconds, so the index is cached in the user's cache directory, by the
harness's version.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from platformdirs import user_cache_path

from openbench.errors import UnknownNameError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.sources import package_folder
from openbench_harnesses.names import not_installed, unknown_task

PREFIX = "lm-eval"
_PACKAGE = "lm_eval"


def benchmark(task: str) -> BenchmarkMetadata:
    """Describe a task of lm-evaluation-harness.

    Raises:
        UnknownNameError: The harness has no such task, or it is a group of tasks.
        UsageError: The harness is not installed here.
    """
    try:
        tasks = _index(version(_PACKAGE))
    except PackageNotFoundError as error:
        raise not_installed(PREFIX, task) from error
    if task not in tasks:
        raise unknown_task(PREFIX, task, tasks)
    if tasks[task] is None:
        raise UnknownNameError(f"{PREFIX}:{task}: this is a group of tasks. Name its tasks: 'lm-eval ls tasks'.")
    return BenchmarkMetadata(
        name=task,
        description=f"The task {task} of lm-evaluation-harness.",
        category=PREFIX,
        tags=[],
        module_path="openbench_harnesses.lm_eval_tasks",
        function_name=task,
        notes=[
            f"The prompts, filters and metrics are those of lm-evaluation-harness {version(_PACKAGE)}.",
            "A chat model gets each prompt as one user message.",
        ],
    )


def is_task(name: str) -> bool:
    """Return whether the installed harness has a task of this name."""
    return _index(version(_PACKAGE)).get(name) is not None


def task_file(task: str) -> Path:
    """Return the YAML file of a task of the installed harness."""
    return _folder() / str(_index(version(_PACKAGE))[task])


def _folder() -> Path:
    folder = package_folder(_PACKAGE)
    assert folder is not None  # noqa: S101 - the harness is installed
    return folder / "tasks"


@cache
def _index(of_version: str) -> Mapping[str, str | None]:
    """Return the file of each task, relative to the harness's task folder; None for groups and tags."""
    cached = user_cache_path("openbench") / f"lm-eval-{of_version}.json"
    if cached.is_file():
        stored: dict[str, str | None] = json.loads(cached.read_text("utf-8"))
        return stored
    from lm_eval.tasks import TaskManager  # noqa: PLC0415 - only this harness's environment has it

    manager, folder = TaskManager(), _folder()
    entries = manager.task_index
    files = {name: os.path.relpath(entries[name].yaml_path, folder) for name in manager.all_subtasks}
    index: dict[str, str | None] = {**dict.fromkeys(manager.all_tasks), **files}
    cached.parent.mkdir(parents=True, exist_ok=True)
    part = cached.with_name(f"{cached.name}.{os.getpid()}")
    part.write_text(json.dumps(index), "utf-8")
    part.replace(cached)
    return index
