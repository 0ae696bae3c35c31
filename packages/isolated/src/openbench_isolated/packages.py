"""Which versions of which packages the user asks for with `--with`."""

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
    """The requirements of `--with`, of which there are two kinds.

    One whose distribution registers benchmarks asks for a version of a benchmark package; any other is a tool, and is
    installed into every environment.
    """

    def __init__(self, given: Sequence[str], constraint: Path | None = None) -> None:
        """Read requirements.

        Args:
            given: The requirements, as typed.
            constraint: A file of versions that every environment keeps to.

        Raises:
            UsageError: One is malformed.
        """
        self._given = [parse(text) for text in dict.fromkeys(given)]
        self._constraint = constraint
        self._used: set[Requirement] = set()

    @cached_property
    def benchmarks(self) -> Sequence[Requirement]:
        """The requirements that ask for versions of benchmark packages."""
        here = {found.distribution for found in registered(BENCHMARKS)}
        others = [each for each in self._given if each.name != _CORE]
        return [each for each in others if each.name in here or registers_benchmarks(each)]

    @cached_property
    def _beside(self) -> Sequence[Requirement]:
        """What is installed beside a benchmark package: tools, and the kernel of here unless another is asked for."""
        kernel = [] if any(each.name == _CORE for each in self._given) else [installed(_CORE)]
        with suppress(PackageNotFoundError):  # it gives inspect the names of an editable kernel
            kernel.append(installed(_METAPACKAGE))
        tools = [each for each in self._given if each not in self.benchmarks]
        return [*kernel, *tools, *([constraints(self._constraint)] if self._constraint else [])]

    def asked(self, distribution: str) -> Sequence[Requirement]:
        """Return the versions of a distribution that are asked for."""
        return [each for each in self.benchmarks if each.name == canonical(distribution)]

    def again(self, distribution: str, wanted: str | None, extra: str = "") -> Requirement:
        """Return what installs a distribution in the version that a run had: as it is here, if it is the same one."""
        with suppress(PackageNotFoundError):
            if wanted in {None, version(distribution)}:
                return installed(distribution, extra)
        name = f"{distribution}[{extra}]" if extra else distribution
        pinned = parse(f"{name}=={wanted}" if wanted else name)
        if pinned.name != canonical(distribution) or (pinned.label != f"{distribution} {wanted}" and wanted):
            raise UsageError(f"{distribution} {wanted}: expected the name of a package and its version.")
        return pinned

    def environment(self, wanted: Requirement) -> Environment:
        """Return the environment of a version; see `make_environment`."""
        return make_environment(wanted, self._beside)

    def use(self, wanted: Requirement) -> None:
        """Note that a benchmark of a version is to be run."""
        self._used.add(wanted)

    def check_used(self) -> None:
        """Find out whether a benchmark of every version that is asked for is to be run.

        Raises:
            UsageError: One has none.
        """
        for each in self.benchmarks:
            if each not in self._used:
                raise UsageError(
                    f"--with {each.arguments[0]}: it brings benchmarks, and none of them is to be run. Name one as "
                    f"NAME@{each.name}, or leave it out."
                )
