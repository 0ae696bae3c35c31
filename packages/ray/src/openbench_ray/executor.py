"""The executor `ray`. It is imported while options are parsed, and must import neither Ray nor the engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from openbench.cli.options import SectionOption
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

_ADDRESS = SectionOption(
    ["--address"],
    section="Processes",
    default=_AUTO,
    envvar=["BENCH_ADDRESS", "RAY_ADDRESS"],
    metavar="HOST:PORT",
    help="Head of the Ray cluster of which this machine is a node; by default, the one that was started here.  "
    "[BENCH_ADDRESS, RAY_ADDRESS]",
)
_WORKERS = SectionOption(
    ["--workers"],
    section="Processes",
    type=click.IntRange(min=1),
    envvar="BENCH_WORKERS",
    metavar="N",
    help="Workers at most, which share --max-connections; by default, one for each CPU there is.  [BENCH_WORKERS]",
)
_WITH = SectionOption(
    ["--with", "requirements"],
    section="Processes",
    multiple=True,
    envvar="BENCH_WITH",
    metavar="REQUIREMENT",
    help="Package that workers need besides those of the run, such as boto3>=1.40; may be repeated.  [BENCH_WITH]",
)
_INSTALL = SectionOption(
    ["--install/--no-install"],
    section="Processes",
    default=True,
    envvar="BENCH_INSTALL",
    help="Whether nodes install the packages of the run, in the versions that are installed here; --no-install if they "
    "have them, as in a container image.  [BENCH_INSTALL]",
)
_ENV = SectionOption(
    ["--env", "variables"],
    section="Processes",
    multiple=True,
    envvar="BENCH_ENV",
    metavar="NAME",
    help="Variable of this environment that workers get besides *_API_KEY, *_API_BASE, *_API_VERSION and *_BASE_URL; "
    "may be repeated.  [BENCH_ENV]",
)


class RayExecutor(Executor):
    """Divides the samples of a run among the workers of a Ray cluster."""

    options = (_ADDRESS, _WORKERS, _WITH, _INSTALL, _ENV)

    def __init__(
        self,
        catalog: Catalog,
        *,
        display: str,
        address: str = _AUTO,
        workers: int | None = None,
        requirements: Sequence[str] = (),
        install: bool = True,
        variables: Sequence[str] = (),
    ) -> None:
        """Make an executor; see `Executor`.

        Args:
            catalog: What is installed here.
            display: How progress is shown.
            address: Where the cluster's head is.
            workers: How many workers at most.
            requirements: The requirements of `--with`.
            install: Whether nodes install packages.
            variables: The names of `--env`.

        Raises:
            UsageError: An option is malformed.
        """
        super().__init__(catalog, display=display)
        if address != _AUTO and not _HOST_AND_PORT.fullmatch(address):
            raise UsageError(
                f"--address {address}: expected HOST:PORT. bench eval runs on a node of the cluster, since it takes "
                "what workers stream; it is no client of Ray, and no job."
            )
        for requirement in requirements:
            parse(requirement)
        self._address = address
        self._workers = workers
        self._requirements = requirements
        self._install = install
        self._variables = variables

    def find_path(self, path: Path) -> Sequence[Benchmark]:
        """Refuse: a local eval is not installed on workers.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{path}: a path is not there on the workers of a cluster. Run it without --ray.")

    def find_again(self, reference: str, version: str | None) -> Benchmark:
        """Find the benchmark of a job that is continued; see `Executor`."""
        from pathlib import Path  # noqa: PLC0415

        from openbench.registry.names import is_path  # noqa: PLC0415

        if is_path(reference):
            self.find_path(Path(reference))
        return super().find_again(reference, version)

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run every job; see `Executor`."""
        from openbench_ray.link import Link  # noqa: PLC0415 - see the module's first paragraph
        from openbench_ray.remote import Options, RemoteRun  # noqa: PLC0415

        options = Options(
            address=self._address,
            workers=self._workers,
            requirements=self._requirements,
            install=self._install,
            variables=self._variables,
        )
        with Link() as link:
            return RemoteRun(self.catalog, display=self.display, options=options, link=link).execute(plan)
