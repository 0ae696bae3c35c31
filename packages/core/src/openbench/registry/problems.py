"""What is wrong with a plugin, why, and the way out."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, distribution, requires

from openbench.registry.guard import SECONDS_VARIABLE, TookTooLongError
from openbench.registry.installed import PLUGINS_VARIABLE, Registered
from openbench.registry.names import is_distribution, printable

_MOST_CHARACTERS = 300
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)[^;]*(.*)$")


@dataclass(frozen=True)
class Problem:
    """Something about a distribution that is not as it should be.

    Its texts may come from anywhere, so they are cut and made fit to be shown.

    Attributes:
        distribution: The distribution.
        entry_point: Its entry point, or whatever else of it is concerned.
        message: What is wrong, in one line.
        remedy: The way out.
        loaded: Whether the entry point is used in spite of it.
    """

    distribution: str
    entry_point: str
    message: str
    remedy: str = ""
    loaded: bool = False

    def __post_init__(self) -> None:
        for text in (field.name for field in fields(self) if field.type is str):
            shown = printable(getattr(self, text)).rstrip(".")
            cut = shown if len(shown) <= _MOST_CHARACTERS else shown[:_MOST_CHARACTERS] + "…"
            object.__setattr__(self, text, cut)

    def __str__(self) -> str:
        return f"{self.distribution}: {self.entry_point}: {self.message}"

    @property
    def line(self) -> str:
        """The line that a command spends on it."""
        return f"{'warning' if self.loaded else 'not loaded'}: {self}"


def problem(found: Registered, message: str, *, remedy: str = "", loaded: bool = False) -> Problem:
    """Return a problem of an entry point; by default the way out is to do without its distribution."""
    without = f"Tell the authors of {found.distribution}, or {_uninstall(found)}"
    return Problem(found.distribution, found.name, message, remedy or without, loaded)


def load_problem(found: Registered, error: BaseException) -> Problem:
    """Return the problem of an entry point that could not be loaded."""
    if isinstance(error, ModuleNotFoundError) and isinstance(error.name, str):
        return _missing_module(found, error.name)
    if isinstance(error, TookTooLongError):
        remedy = (
            f"Either {_uninstall(found)}. Or give it more time with {SECONDS_VARIABLE}, in seconds, or leave it out "
            f"with {PLUGINS_VARIABLE}, which names the plugins that are used"
        )
        return problem(found, str(error), remedy=remedy)
    return problem(found, described_error(error))


def described_error(error: BaseException) -> str:
    """Return an error's type and text; an error of a stranger's may not even have one."""
    name = type(error).__name__
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - it runs the stranger's code
        return f"{name}, which cannot be shown"
    return f"{name}: {text}" if text else name


def _uninstall(found: Registered) -> str:
    command = f": pip uninstall {found.distribution}" if is_distribution(found.distribution) else ""
    return f"uninstall it{command}"


def _missing_module(found: Registered, module: str) -> Problem:
    """Tell a module of the plugin itself from one of a dependency, and find out what to install."""
    if module.partition(".")[0] == found.module.partition(".")[0]:
        remedy = f"Reinstall it: pip install --force-reinstall --no-deps {found.distribution}"
        return problem(found, f"its own module {module!r} does not exist", remedy=remedy)
    missing = list(_missing_requirements(found.distribution))
    guess = module.partition(".")[0].replace("_", "-")
    install = " ".join(map(shlex.quote, missing)) or (guess if is_distribution(guess) else "what provides it")
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
    except (PackageNotFoundError, ValueError):
        return
    for requirement in requirements:
        match = _REQUIREMENT.match(requirement)
        if match and not match[2]:
            try:
                distribution(match[1])
            except PackageNotFoundError:
                yield requirement.strip()
