"""The package versions that the user selects with `--with`."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from openbench.errors import UsageError
from openbench.registry.discovery import BENCHMARKS, registered
from openbench.registry.names import canonical
from openbench_isolated.environments import Environment, constraints, make_environment, registers_benchmarks
from openbench_isolated.requirements import Requirement, installed, parse

_CORE = "openbench-core"
_METAPACKAGE = "openbench"


class Packages:
    """The requirements of `--with`, of two kinds.

    If its distribution registers benchmarks, a requirement selects a version of that benchmark package. Any other is a
    tool, which is installed into every environment.
    """

    def __init__(self, given: Sequence[str], constraint: Path | None = None) -> None:
        """Read requirements.

        Args:
            given: The requirements, as typed.
            constraint: A constraints file that applies to every environment.

        Raises:
            UsageError: A requirement is malformed.
        """
        self._given = [parse(text) for text in dict.fromkeys(given)]
        self._constraint = constraint
        self._used: set[Requirement] = set()

    @cached_property
    def benchmarks(self) -> Sequence[Requirement]:
        """The requirements that select versions of benchmark packages."""
        here = {found.distribution for found in registered(BENCHMARKS)}
        others = [each for each in self._given if each.name != _CORE]
        return [each for each in others if each.name in here or registers_benchmarks(each)]

    @cached_property
    def _beside(self) -> Sequence[Requirement]:
        """The packages installed with each benchmark package: tools, and this kernel unless another one is selected."""
        kernel = [] if any(each.name == _CORE for each in self._given) else [installed(_CORE)]
        with suppress(PackageNotFoundError):  # makes an editable kernel's names known to Inspect
            kernel.append(installed(_METAPACKAGE))
        tools = [each for each in self._given if each not in self.benchmarks]
        return [*kernel, *tools, *([constraints(self._constraint)] if self._constraint else [])]

    def asked(self, distribution: str) -> Sequence[Requirement]:
        """Return the selected versions of a distribution."""
        return [each for each in self.benchmarks if each.name == canonical(distribution)]

    def again(self, distribution: str, wanted: str | None, extra: str = "") -> Requirement:
        """Return the requirement of a distribution in a run's version: the installed one if it has this version."""
        with suppress(PackageNotFoundError):
            if wanted in {None, version(distribution)}:
                return installed(distribution, extra)
        name = f"{distribution}[{extra}]" if extra else distribution
        pinned = parse(f"{name}=={wanted}" if wanted else name)
        if pinned.name != canonical(distribution) or (pinned.label != f"{distribution} {wanted}" and wanted):
            raise UsageError(f"{distribution} {wanted}: expected a package name and a version.")
        return pinned

    def environment(self, wanted: Requirement) -> Environment:
        """Return the environment of a version; see `make_environment`."""
        return make_environment(wanted, self._beside)

    def use(self, wanted: Requirement) -> None:
        """Record that a benchmark of a version will run."""
        self._used.add(wanted)

    def check_used(self) -> None:
        """Check that at least one benchmark of every selected version will run.

        Raises:
            UsageError: None will run of some version.
        """
        for each in self.benchmarks:
            if each not in self._used:
                raise UsageError(
                    f"--with {each.arguments[0]}: none of its benchmarks is in the run. Name one as "
                    f"NAME@{each.name}, or omit the option."
                )
