"""openbench: evaluate language models with benchmarks that are packages.

Importing this package costs nothing: what needs inspect-ai is imported when it is called.
"""

import sys
from typing import TYPE_CHECKING, Any

from openbench.registry.compat import CompatFinder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspect_ai import Task
    from inspect_ai.log import EvalLog

    from openbench.registry.benchmark import Benchmark

__all__ = ["eval", "get_task", "list_benchmarks"]

sys.meta_path.append(CompatFinder())


def eval(  # noqa: A001 - named after inspect_ai.eval, whose arguments it takes
    benchmarks: "str | Sequence[str]",
    model: "str | Sequence[str] | None" = None,
    *,
    task_args: "Mapping[str, Any] | None" = None,
    sample: bool = False,
    baseline: str | None = None,
    **options: Any,
) -> "list[EvalLog]":
    """Evaluate models on benchmarks, as `bench eval` does.

    Args:
        benchmarks: Names (`simpleqa`, `simpleqa@openbench-simpleqa`), groups, or paths of local evals.
        model: One or more models, as `provider/model`.
        task_args: Arguments of the task functions; each goes to the benchmarks that have it.
        sample: Evaluate the sample rows that the packages ship, offline.
        baseline: A baseline in place of a model, such as `reference`.
        **options: Options of `bench eval` under their names in Python, such as `limit`, `epochs`, `temperature`,
            `max_connections`, `model_base_url`, `model_args`, `model_roles`, `log_dir`, `alpha` or `engine`.

    Returns:
        One log for each benchmark and model, with its samples, models outermost.

    Raises:
        openbench.errors.UsageError: A name, an option or an argument is wrong; nothing was run.
        openbench.errors.OpenbenchError: A benchmark could not start. The others have run, and their logs are written.
    """
    from openbench.run.api import evaluate  # noqa: PLC0415 - importing openbench stays free of inspect

    return evaluate(benchmarks, model, task_args=task_args, sample=sample, baseline=baseline, **options)


def get_task(name: str, /, *, sample: bool = False, **task_args: Any) -> "Task":
    """Return the task of an installed benchmark, as `bench eval` builds it.

    Args:
        name: What `bench eval` calls it (`simpleqa`, `simpleqa@openbench-simpleqa`, a path), or its display name
            (`SimpleQA`, in any letter case).
        sample: Read the sample rows that the package ships in place of its source.
        **task_args: Arguments of its task function.

    Returns:
        An Inspect task, whose metadata say under `openbench` what produced it. What its function takes from
        `get_model()` while it builds the task is that of the evaluation which is running, as in any Inspect task.

    Raises:
        openbench.errors.UsageError: There is no such benchmark or more than one, or the arguments are wrong.
        openbench.errors.OpenbenchError: The benchmark cannot be imported, or its rows cannot be loaded.
    """
    from openbench.run.api import get_task as get  # noqa: PLC0415 - importing openbench stays free of inspect

    return get(name, task_args, sample=sample)


def list_benchmarks(*, alpha: bool = False, subtasks: bool = False) -> "list[Benchmark]":
    """Return the installed benchmarks, sorted by name, without importing any of them.

    A name that several distributions provide, and nothing decides between, is left out: `bench list` shows those.

    Args:
        alpha: Include experimental benchmarks.
        subtasks: Include benchmarks that are parts of others.
    """
    from openbench.registry.benchmark import Benchmark  # noqa: PLC0415
    from openbench.registry.catalog import Catalog  # noqa: PLC0415

    return [
        Benchmark(found.key, found.value, resolution)
        for resolution in Catalog.installed().resolutions.values()
        if (found := resolution.winner)
        if (alpha or not found.value.is_alpha) and (subtasks or not found.value.subtask)
    ]
