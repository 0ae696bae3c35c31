"""Executors run plans: in this process, or in other processes, environments or machines.

A distribution registers one under the entry-point group `openbench.executors`: the entry point's name is what
`bench eval --executor` takes, and names a subclass of `Executor`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from openbench.registry.benchmark import Benchmark, find_benchmark, find_installed, find_locals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from inspect_ai.log import EvalLog

    from openbench.errors import OpenbenchError
    from openbench.registry.catalog import Catalog
    from openbench.run.plan import Job, Plan


@dataclass(frozen=True)
class Result:
    """The log of a job, unless it was interrupted before it began, or the reason why it could not start."""

    job: Job
    log: EvalLog | None = None
    error: OpenbenchError | None = None


def unversioned(reference: str) -> str:
    """Return a reference to a benchmark in any version: `name@distribution==1.0` without the version."""
    return reference.partition("==")[0] if "@" in reference else reference


class Executor(ABC):
    """Finds benchmarks and runs plans.

    Attributes:
        options: A dataclass whose fields, annotated like Typer's options, are added to the options of `bench eval` when
            the executor is chosen; the class gets an instance of it as the keyword argument `options`.
        elsewhere: Whether benchmarks are found in other environments, which a dry run cannot estimate.
    """

    options: ClassVar[type[Any] | None] = None
    elsewhere: ClassVar[bool] = False

    def __init__(self, catalog: Catalog, *, display: str) -> None:
        """Make an executor.

        Args:
            catalog: Where benchmarks are found.
            display: How progress is shown: `line`, or one of Inspect's displays (`full`, `conversation`, `rich`,
                `plain`, `none`).
        """
        self.catalog = catalog
        self.display = display

    def find(self, name: str) -> Sequence[Benchmark]:
        """Find the benchmark of a name or `name@distribution`, possibly in several versions.

        Raises:
            UnknownNameError: There is none.
            UsageError: Several benchmarks have this name, and nothing decides between them.
        """
        return [find_installed(self.catalog, name)]

    def find_path(self, path: Path) -> Sequence[Benchmark]:
        """Find the local evals at a path.

        Raises:
            UsageError: There is none, it cannot be imported, or this executor does not support local evals.
        """
        return find_locals(path)

    def find_again(self, reference: str, version: str | None) -> Benchmark:
        """Find the benchmark of a job that is resumed.

        Args:
            reference: Its reference; see `Job.benchmark`.
            version: The version that its distribution had; None if it is unknown.

        Raises:
            UnknownNameError: There is no such benchmark.
            UsageError: It cannot be used.
        """
        del version  # another one is refused when the samples are compared
        return find_benchmark(self.catalog, unversioned(reference))

    @abstractmethod
    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job, even if others fail.

        Returns:
            A result for each job, in the plan's order.

        Raises:
            UsageError: A mistake was found before the first request; nothing was run.
        """


class InProcess(Executor):
    """Finds benchmarks, and runs plans with a `LocalExecutor`, which takes seconds to import."""

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        from openbench.run.local_executor import LocalExecutor  # noqa: PLC0415 - as above

        return LocalExecutor(self.catalog, display=self.display).execute(plan)
