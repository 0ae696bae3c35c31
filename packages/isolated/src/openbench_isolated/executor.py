"""The executor `isolated`. It is imported while options are parsed, so it must not import the engine."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from openbench.errors import OpenbenchError, UnknownNameError, UsageError
from openbench.registry.harnesses import harness_task
from openbench.registry.names import is_path
from openbench.run.executor import Executor, Result
from openbench.run.plan import plan_to_json
from openbench_isolated.benchmark import IsolatedBenchmark, isolated_benchmark
from openbench_isolated.packages import Packages
from openbench_isolated.requirements import installed
from openbench_isolated.workers import ask, execute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openbench.registry.catalog import Catalog
    from openbench.registry.resolution import Resolution
    from openbench.run.plan import Job, Plan
    from openbench_isolated.answers import Outcome
    from openbench_isolated.environments import Environment
    from openbench_isolated.requirements import Requirement
    from openbench_isolated.workers import Answer


class _NotThereError(UsageError):
    """A version of a package does not provide a benchmark."""


@dataclass(frozen=True)
class Options:
    """The options of `bench eval --isolated`."""

    requirements: Annotated[
        list[str],
        typer.Option(
            "--with",
            envvar="BENCH_WITH",
            metavar="REQUIREMENT",
            rich_help_panel="Processes",
            help="Version of a benchmark package, such as openbench-simpleqa==1.0.0, or a package for every "
            "environment; may be repeated.",
        ),
    ] = field(default_factory=list)
    constraint: Annotated[
        Path | None,
        typer.Option(
            envvar="BENCH_CONSTRAINT",
            exists=True,
            dir_okay=False,
            metavar="FILE",
            rich_help_panel="Processes",
            help="Versions for every environment, in pip's constraints format.",
        ),
    ] = None


class IsolatedExecutor(Executor):
    """Runs each version of each benchmark package in a separate environment, one environment after the other."""

    options = Options
    elsewhere = True

    def __init__(self, catalog: Catalog, *, display: str, options: Options) -> None:
        """Create an executor; see `Executor`.

        Args:
            catalog: The benchmarks installed here.
            display: How progress is shown.
            options: The values of its options.

        Raises:
            UsageError: A requirement is malformed.
        """
        super().__init__(catalog, display=display)
        self._packages = Packages(options.requirements, options.constraint)
        self._found: dict[str, IsolatedBenchmark] = {}

    def find(self, name: str) -> Sequence[IsolatedBenchmark]:
        """Find a name or `name@distribution`, in each version that `--with` selects.

        The distribution is the one that provides the name here. A name that is unknown here is looked up in each
        benchmark package of `--with`.

        Raises:
            UnknownNameError: No package provides it.
            UsageError: Its providers here conflict, a version does not provide it, or the requirements of a version
                conflict.
            OpenbenchError: An environment cannot be created.
        """
        if harness := harness_task(name):
            benchmarks = [self._ask(installed(harness.distribution, harness.prefix), name)]
        else:
            here = self._resolution(name)
            benchmarks = self._in_versions(name, here) if here else self._in_any(name)
        found = {benchmark.reference: benchmark for benchmark in benchmarks}
        if len(found) < len(benchmarks):
            raise UsageError(f"{name}: several --with requirements select {' and '.join(found)}. Keep one of each.")
        self._found |= found
        return benchmarks

    def find_path(self, path: Path) -> Sequence[IsolatedBenchmark]:
        """Raise an error: a local eval does not declare its requirements.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{path}: a local eval cannot run with --isolated. Omit --isolated.")

    def find_again(self, reference: str, version: str | None) -> IsolatedBenchmark:
        """Find a benchmark in the version of the earlier run.

        If `--with` names its distribution, use the requirement of this version, or else the first one, and compare the
        samples. Otherwise use the installed distribution if it has this version, or install this version.

        Raises:
            UsageError: It is a path, or the version is not available or does not provide it.
            OpenbenchError: An environment cannot be created.
        """
        if is_path(reference):
            self.find_path(Path(reference))
        there, _, planned = reference.partition("==")
        distribution, wanted = there.partition("@")[2], version or planned or None
        harness = harness_task(there)
        extra = harness.prefix if harness else ""
        asked = self._packages.asked(distribution) or [self._packages.again(distribution, wanted, extra)]
        several = [self._ask(each, there, None if harness else self._here(there)) for each in asked]
        found = next((each for each in several if each.version == wanted), several[0])
        self._found[found.reference] = found
        return found

    def _here(self, name: str) -> Resolution | None:
        """Return the resolution of a name here; None if nothing provides it."""
        try:
            return self.catalog.find(name)
        except UsageError:  # nothing provides it
            return None

    def _resolution(self, name: str) -> Resolution | None:
        """Return the resolution of a name here; None if it is unknown, or the user names a distribution of `--with`."""
        try:
            return self.catalog.find(name)
        except UnknownNameError as error:
            if not self._packages.benchmarks:
                raise UnknownNameError(f"{error}\nIf its package is not installed, add it: --with PACKAGE.") from error
            return None
        except UsageError:
            distribution = name.partition("@")[2]
            if distribution and self._packages.asked(distribution):
                return None
            raise

    def _in_versions(self, name: str, here: Resolution) -> list[IsolatedBenchmark]:
        """Find a name that is known here in the selected versions of its distribution; each must provide it."""
        assert here.winner is not None  # noqa: S101 - `Catalog.find` raises on a conflict
        distribution = here.winner.distribution
        versions = self._packages.asked(distribution) or [installed(distribution)]
        return [self._ask(version, f"{name.partition('@')[0]}@{distribution}", here) for version in versions]

    def _in_any(self, name: str) -> list[IsolatedBenchmark]:
        """Find a name that is unknown here in the packages of `--with`; at least one must provide it."""
        key, _, distribution = name.partition("@")
        versions = self._packages.asked(distribution) if distribution else self._packages.benchmarks
        found, refusals = [], []
        for version in versions:
            try:
                found.append(self._ask(version, f"{key}@{version.name}"))
            except _NotThereError as error:
                refusals.append(f"\n{error}")
        if not found:
            reasons = "".join(refusals)
            raise UnknownNameError(f"{name}: not installed. Add its package: --with PACKAGE.{reasons}")
        return found

    def _ask(self, version: Requirement, reference: str, here: Resolution | None = None) -> IsolatedBenchmark:
        environment = self._packages.environment(version)
        try:
            description = ask(environment, reference)
        except UsageError as error:
            raise _NotThereError(f"{version.label}: {error}") from error
        self._packages.use(version)
        return isolated_benchmark(environment, description, here, f"installed as {version.label}")

    def execute(self, plan: Plan) -> Sequence[Result]:
        """Run all jobs, one process for each environment; see `Executor`."""
        from openbench.run.run_directory import new_run_name  # noqa: PLC0415 - see the module's first paragraph

        if not plan.resume:  # a resumed run skips completed samples
            self._packages.check_used()
        name = plan.run or new_run_name()
        numbers: defaultdict[Environment, list[int]] = defaultdict(list)
        for number, job in enumerate(plan.jobs):
            numbers[self._found[job.benchmark].environment].append(number)
        # All plans are serialized before the first one runs: a plan that cannot be sent is a usage error.
        parts = {environment: plan_to_json(self._part(plan, of, name)) for environment, of in numbers.items()}
        results: dict[int, Result] = {}
        for environment, part in parts.items():
            answer = execute(environment, part, self.display)
            if isinstance(answer.error, UsageError) and not results:
                raise answer.error
            jobs = [plan.jobs[number] for number in numbers[environment]]
            results |= dict(zip(numbers[environment], _results(jobs, answer), strict=True))
            if answer.interrupted:
                break
        return [results.get(number) or Result(job) for number, job in enumerate(plan.jobs)]

    def _part(self, plan: Plan, numbers: Sequence[int], run: str | None) -> Plan:
        """Return the plan of one environment's jobs.

        The plans of all environments belong to one run, which one command resumes.
        """
        jobs = [plan.jobs[number] for number in numbers]
        options = plan.options.copy()
        if "log_dir" in options and "://" not in options["log_dir"]:
            options["log_dir"] = str(Path(options["log_dir"]).absolute())
        there = [replace(job, benchmark=self._found[job.benchmark].there) for job in jobs]
        resume = str(Path(plan.resume).absolute()) if plan.resume and "://" not in plan.resume else plan.resume
        return replace(plan, jobs=there, options=options, suites=[], resume=resume, run=run, whole=plan)


def _results(jobs: Sequence[Job], answer: Answer) -> list[Result]:
    """Return the results of an environment's jobs; an interrupted job has neither log nor error."""
    if answer.error is None:
        return [_result(job, outcome) for job, outcome in zip(jobs, answer.outcomes, strict=True)]
    if answer.interrupted:
        return list(map(Result, jobs))
    return [Result(job, error=type(answer.error)(f"{job.benchmark}: {answer.error}")) for job in jobs]


def _result(job: Job, outcome: Outcome) -> Result:
    from openbench.run.logs import read_log  # noqa: PLC0415 - see the module's first paragraph

    if outcome.log is None:
        return Result(job, error=outcome.error)
    try:
        return Result(job, read_log(outcome.log))
    except OpenbenchError as error:
        return Result(job, error=error)
