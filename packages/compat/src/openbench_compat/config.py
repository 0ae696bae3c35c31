"""Benchmarks by name, for Python code: `openbench.config`."""

from typing import TYPE_CHECKING, Any

from openbench.errors import UsageError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai import Task

    TASK_REGISTRY: dict[str, str]


def load_task(benchmark_name: str, allow_alpha: bool = False) -> "Callable[..., Task]":
    """Import the task function of a benchmark.

    Args:
        benchmark_name: Its name for `bench eval`: a name, `name@distribution`, or a path.
        allow_alpha: Whether to allow an experimental benchmark.

    Raises:
        ValueError: The name is unknown or ambiguous, or the benchmark is experimental.
        openbench.errors.OpenbenchError: The benchmark cannot be imported.
    """
    try:
        benchmark = find_benchmark(Catalog.installed(), benchmark_name)
    except UsageError as error:
        raise ValueError(str(error)) from error
    if benchmark.metadata.is_alpha and not allow_alpha:
        raise ValueError(f"{benchmark.key} is experimental. Load it with allow_alpha=True.")
    return benchmark.task_function()


def get_all_benchmarks(include_alpha: bool = False) -> dict[str, BenchmarkMetadata]:
    """Return the metadata of all installed benchmarks by name; if several share a name, of the one that wins."""
    winners = [resolution.winner for resolution in Catalog.installed().resolutions.values()]
    return {winner.key: winner.value for winner in winners if winner and (include_alpha or not winner.value.is_alpha)}


def get_benchmark_metadata(name: str) -> BenchmarkMetadata | None:
    """Return the metadata of a benchmark; None if the name is unknown or ambiguous."""
    try:
        return find_benchmark(Catalog.installed(), name).metadata
    except UsageError:
        return None


def __getattr__(name: str) -> Any:
    """Return `TASK_REGISTRY`: the path of each task function (`package.module.function`) by benchmark name."""
    if name == "TASK_REGISTRY":
        found = get_all_benchmarks(include_alpha=True)
        return {key: f"{metadata.module_path}.{metadata.function_name}" for key, metadata in found.items()}
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
