"""A task by name, as Python code asks for it."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from inspect_ai import Task

from openbench.benchmark import find_benchmark
from openbench.catalog import Catalog
from openbench.errors import UsageError
from openbench.signature import made_signature
from openbench.tasks.build import build_task


def get_task(name: str, task_args: Mapping[str, Any], *, sample: bool = False) -> Task:
    """Build the task of a benchmark, as `bench eval` does.

    Args:
        name: As `openbench.benchmark.find_meant` has it.
        task_args: Arguments of its task function.
        sample: As `build_task` has it.

    Raises:
        UsageError: The name means none or several, or the arguments are wrong.
        OpenbenchError: The benchmark cannot be imported, or its rows cannot be had.
    """
    benchmark = find_benchmark(Catalog.installed(), name)
    signature = benchmark.signature() or made_signature(benchmark.task_function())
    unknown = [argument for argument in task_args if not signature.accepts(argument)]
    if unknown:
        close = get_close_matches(unknown[0], signature.parameters, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        takes = ", ".join(signature.parameters) or "none"
        raise UsageError(f"{benchmark.key} has no argument {unknown[0]!r}.{hint} It takes {takes}.")
    missing = [name for name, p in signature.parameters.items() if p.default is None and name not in task_args]
    if missing:
        raise UsageError(f"{benchmark.key} needs the argument {missing[0]!r}.")
    return build_task(benchmark, task_args, sample=sample)
