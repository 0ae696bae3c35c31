"""Builds the Inspect task of a benchmark, with its provenance."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from inspect_ai import Task
from inspect_ai.log import HeadlineMetric
from inspect_ai.util import registry_info
from pydantic import ValidationError

from openbench.datasets import bundled_rows, rows_read, validation_message
from openbench.errors import OpenbenchError, UsageError
from openbench.registry.benchmark import Benchmark
from openbench.tasks.provenance import record_task

T = TypeVar("T")


def build_task(benchmark: Benchmark, task_args: Mapping[str, Any], *, sample: bool = False) -> Task:
    """Call a benchmark's task function.

    The provenance is in the task's metadata, under `openbench`. The task's version and headline metric default to those
    of the benchmark.

    Args:
        benchmark: The benchmark.
        task_args: Arguments of its task function.
        sample: Read the sample rows of its package in place of its source.

    Raises:
        UsageError: The arguments are wrong, or the package has no sample rows.
        OpenbenchError: The benchmark cannot be imported, or its rows cannot be read.
    """
    function = benchmark.task_function()
    directory = benchmark.samples_directory() if sample else None
    if sample and directory is None:
        raise UsageError(f"{benchmark.key} ships no sample rows, so it cannot run with --sample.")
    with bundled_rows(directory) if directory else contextlib.nullcontext(), _named(benchmark.key), rows_read() as read:
        task = function(**task_args)
    if not isinstance(task, Task):
        raise OpenbenchError(
            f"{benchmark.key}: {benchmark.metadata.function_name} returned {type(task).__name__}, expected a Task."
        )
    for each in task.dataset:
        each.id, each.input, each.metadata = _writable(each.id), _writable(each.input), _keys_writable(each.metadata)
    record_task(benchmark, task, read, sample=sample)
    if not task.version and benchmark.version:
        task.version = benchmark.version
    if task.headline_metric is None:
        task.headline_metric = _headline(task, benchmark.metadata.primary_metric)
    return task


def _headline(task: Task, name: str) -> HeadlineMetric:
    """Return the headline metric for a name: a metric, or KEY or KEY/METRIC of a scorer with several values."""
    key, _, metric = name.partition("/")
    for scorer in task.scorer or ():
        metrics = registry_info(scorer).metadata.get("metrics", ())
        for group in [metrics] if isinstance(metrics, dict) else metrics:
            if isinstance(group, dict) and key in group:
                return HeadlineMetric(score=key, metric=metric or None)
    return HeadlineMetric(metric=name)


def _writable(text: T) -> T:
    """Escape NUL, which ends names in archives, and lone surrogates, which UTF-8 cannot encode."""
    if not isinstance(text, str) or (text.isascii() and "\0" not in text):
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")  # type: ignore[return-value]


def _keys_writable(value: Any) -> Any:
    if isinstance(value, dict):
        new = {_writable(key): _keys_writable(part) for key, part in value.items()}
        return value if new == value else new  # samples may share an object
    return [_keys_writable(part) for part in value] if isinstance(value, list) else value


@contextlib.contextmanager
def _named(key: str) -> Iterator[None]:
    """Prefix the errors of a task function with the benchmark's name."""
    try:
        yield
    except Exception as error:
        kind: type[OpenbenchError] = UsageError
        message = str(error)
        if isinstance(error, OpenbenchError):
            kind = type(error)
        elif isinstance(error, ValidationError):
            message = validation_message(error)
        elif not isinstance(error, ValueError):
            kind, message = OpenbenchError, f"its task function failed: {type(error).__name__}: {error}"
        raise kind(f"{key}: {message.removeprefix(f'{key}: ')}") from error
