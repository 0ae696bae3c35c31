"""What is wrong with a plugin, why, and the way out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, requires

from openbench.guard import SECONDS_VARIABLE, TookTooLongError
from openbench.installed import PLUGINS_VARIABLE, Registered
from openbench.names import printable

_MOST_CHARACTERS = 300
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)[^;]*(.*)$")


@dataclass(frozen=True)
class Problem:
    """Something about a distribution that is not as it should be.

    Attributes:
        distribution: The distribution.
        entry_point: Its entry point, or whatever else of it is concerned.
        message: What is wrong, in one line that is safe to show.
        remedy: The way out.
        loaded: Whether the entry point is used in spite of it.
    """

    distribution: str
    entry_point: str
    message: str
    remedy: str = ""
    loaded: bool = False

    def __str__(self) -> str:
        return f"{self.distribution}: {self.entry_point}: {self.message}"

    @property
    def line(self) -> str:
        """The line that a command spends on it."""
        return f"{'warning' if self.loaded else 'not loaded'}: {self}"


def problem(found: Registered, message: str, *, remedy: str = "", loaded: bool = False) -> Problem:
    """Return a problem of an entry point; its texts may come from anywhere."""
    shown = printable(message)
    if len(shown) > _MOST_CHARACTERS:
        shown = shown[:_MOST_CHARACTERS] + "…"
    return Problem(
        found.distribution,
        printable(found.entry_point.name)[:_MOST_CHARACTERS],
        shown,
        remedy or f"Tell the authors of {found.distribution}, or uninstall it: pip uninstall {found.distribution}",
        loaded,
    )


def load_problem(found: Registered, error: BaseException) -> Problem:
    """Return the problem of an entry point that could not be loaded."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _missing_module(found, error.name)
    if isinstance(error, TookTooLongError):
        remedy = (
            f"Uninstall it: pip uninstall {found.distribution}. Or give it more time with {SECONDS_VARIABLE}, in "
            f"seconds, or leave it out with {PLUGINS_VARIABLE}, which names the plugins that are used."
        )
        return problem(found, str(error), remedy=remedy)
    return problem(found, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def _missing_module(found: Registered, module: str) -> Problem:
    """Tell a module of the plugin itself from one of a dependency, and find out what to install."""
    if module.partition(".")[0] == found.entry_point.module.partition(".")[0]:
        remedy = f"Reinstall it: pip install --force-reinstall --no-deps {found.distribution}"
        return problem(found, f"its own module {module!r} does not exist", remedy=remedy)
    missing = list(_missing_requirements(found.distribution))
    install = " ".join(f"'{requirement}'" for requirement in missing) or module.partition(".")[0].replace("_", "-")
    note = "" if missing else f", which {found.distribution} does not declare as a dependency"
    return problem(
        found,
        f"needs the module {module!r}, which is not installed: pip install {install}",
        remedy=f"Install it: pip install {install}{note}",
    )


def _missing_requirements(name: str) -> Iterator[str]:
    """Yield the requirements of a distribution that are not installed; extras and other platforms' are left out."""
    try:
        requirements: Sequence[str] = requires(name) or ()
    except PackageNotFoundError:
        return
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match and not match[2]:
            try:
                distribution(match[1])
            except PackageNotFoundError:
                yield requirement.strip()
