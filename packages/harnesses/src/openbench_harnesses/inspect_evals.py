"""Tasks of inspect_evals: `inspect-evals:gsm8k`.

They are Inspect tasks already: a benchmark refers to the task function itself. The list of tasks is read from the
package's `eval.yaml` files, without importing any evaluation.
"""

from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench_harnesses.names import not_installed, one_line, unknown_task

PREFIX = "inspect-evals"
_PACKAGE = "inspect_evals"


def benchmark(task: str) -> BenchmarkMetadata:
    """Describe a task of inspect_evals.

    Raises:
        UnknownNameError: inspect_evals has no such task.
        UsageError: inspect_evals, or another package that the task needs, is not installed here.
    """
    try:
        from inspect_evals.metadata import load_listing  # noqa: PLC0415 - only this harness's environment has it
    except ModuleNotFoundError as error:
        raise not_installed(PREFIX, task) from error
    tasks = {declared.name: (entry, declared) for entry in load_listing().evals for declared in entry.tasks}
    if task not in tasks:
        raise unknown_task(PREFIX, task, tasks)
    entry, declared = tasks[task]
    _check_installed(task, entry)
    return BenchmarkMetadata(
        name=one_line(entry.title),
        description=one_line(entry.description),
        category=PREFIX,
        tags=list(entry.tags or ()),
        module_path=f"{_PACKAGE}.{entry.id}",
        function_name=task,
        paper=str(entry.arxiv) if entry.arxiv else None,
        samples=declared.dataset_samples or None,
        notes=[f"inspect_evals {version(_PACKAGE)}, version {entry.version} of this evaluation, unchanged."],
    )


def _check_installed(task: str, entry: Any) -> None:
    """Check that the packages that an evaluation needs are installed.

    Raises:
        UsageError: One is missing.
    """
    if entry.isolated:
        raise UsageError(
            f"{PREFIX}:{task}: inspect_evals publishes this evaluation as a separate package (packages/{entry.id} in "
            "its repository), which is not supported."
        )
    extra = entry.dependency
    if extra and (missing := [name for name in _of_extra(extra) if not _installed(name)]):
        raise UsageError(
            f"{PREFIX}:{task}: requires {', '.join(missing)}. Add --with 'inspect-evals[{extra}]' to the command."
        )


def _of_extra(extra: str) -> list[str]:
    """Return the names of the distributions that an extra of inspect_evals requires in this environment."""
    wanted = {"extra": canonicalize_name(extra)}
    conditional = [(each.name, each.marker) for each in map(Requirement, requires(_PACKAGE) or ()) if each.marker]
    return [name for name, marker in conditional if "extra" in str(marker) and marker.evaluate(wanted)]


def _installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False
