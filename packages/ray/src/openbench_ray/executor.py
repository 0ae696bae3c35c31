"""The executor `ray`. It is imported while options are parsed, so it must import neither Ray nor the engine."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from openbench.errors import UsageError
from openbench.run.executor import Executor, Result
from openbench_isolated.requirements import parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from openbench.registry.benchmark import Benchmark
    from openbench.registry.catalog import Catalog
    from openbench.run.plan import Plan

_AUTO = "auto"
_HOST_AND_PORT = re.compile(r"([^\s/:]+|\[[0-9a-fA-F:]+\]):\d{1,5}")


def _option(*names: str, variable: str | list[str], help: str, **kwargs: Any) -> Any:  # noqa: A002 - Typer's name
    return typer.Option(*names, envvar=variable, rich_help_panel="Processes", help=help, **kwargs)


@dataclass(frozen=True)
class Options:
    """The options of `bench eval --ray`."""

    address: Annotated[
        str,
        _option(
            "--address",
            variable=["BENCH_ADDRESS", "RAY_ADDRESS"],
            metavar="HOST:PORT",
            help="Head of the Ray cluster that this machine is a node of; by default, the one started here.",
        ),
    ] = _AUTO
    workers: Annotated[
        int | None,
        _option(
            "--workers",
            variable="BENCH_WORKERS",
            min=1,
            metavar="N",
            help="Maximum workers, which share --max-connections; by default, one per CPU.",
        ),
    ] = None
    requirements: Annotated[
        list[str],
        _option(
            "--with",
            variable="BENCH_WITH",
            metavar="REQUIREMENT",
            help="Additional package for workers, such as boto3>=1.40; may be repeated.",
        ),
    ] = field(default_factory=list)
    install: Annotated[
        bool,
        _option(
            "--install/--no-install",
            variable="BENCH_INSTALL",
            help="Install the packages of the run on the nodes, in the versions installed here; --no-install if they "
            "have them, as in a container image.",
        ),
    ] = True
    variables: Annotated[
        list[str],
        _option(
            "--env",
            variable="BENCH_ENV",
            metavar="NAME",
            help="Additional environment variable for workers; *_API_KEY, *_API_BASE, *_API_VERSION and *_BASE_URL are "
            "always passed. May be repeated.",
        ),
    ] = field(default_factory=list)


class RayExecutor(Executor):
    """Splits the samples of a run across the workers of a Ray cluster."""

    options = Options

    def __init__(self, catalog: Catalog, *, display: str, options: Options) -> None:
        """Create an executor; see `Executor`.

        Args:
            catalog: The benchmarks installed here.
            display: How progress is shown.
            options: The values of its options.

        Raises:
            UsageError: An option is invalid.
        """
        super().__init__(catalog, display=display)
        if options.address != _AUTO and not _HOST_AND_PORT.fullmatch(options.address):
            raise UsageError(
                f"--address {options.address}: expected HOST:PORT. bench eval must run on a node of the "
                "cluster to receive results; Ray clients (ray://) and jobs are not supported."
            )
        for requirement in options.requirements:
            parse(requirement)
        self._options = options

    def find_path(self, path: Path) -> Sequence[Benchmark]:
        """Raise an error: workers do not have local evals.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{path}: a local eval cannot run with --ray, since workers do not have it. Omit --ray.")

    def find_again(self, reference: str, version: str | None) -> Benchmark:
        """Find the benchmark of a resumed job; see `Executor`."""
        from pathlib import Path  # noqa: PLC0415

        from openbench.registry.names import is_path  # noqa: PLC0415

        if is_path(reference):
            self.find_path(Path(reference))
        return super().find_again(reference, version)

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run all jobs; see `Executor`."""
        from openbench_ray.link import Link  # noqa: PLC0415 - see the module's first paragraph
        from openbench_ray.remote import RemoteRun  # noqa: PLC0415

        with Link() as link:
            return RemoteRun(self.catalog, display=self.display, options=self._options, link=link).execute(plan)
