"""Finds what is wrong with an environment: its plugins, what they need, and what stands in each other's way."""

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version

from packaging.requirements import InvalidRequirement, Requirement

from openbench.catalog import Catalog
from openbench.errors import UsageError
from openbench.guard import Guard
from openbench.installed import COMMANDS, EXECUTORS, every_plugin, registered
from openbench.names import canonical
from openbench.problems import Problem, load_problem

CORE = "openbench-core"
_METAPACKAGE = "openbench"
_INSPECT = "inspect_ai"


def diagnose(commands: Iterable[str]) -> list[Problem]:
    """Return everything that is wrong, by the distribution that it concerns.

    Args:
        commands: The names of the kernel's own subcommands, which plugins cannot have.
    """
    found = [*_of_catalog(), *_of_seams(set(commands)), *_published_package()]
    for name in [CORE, *every_plugin()]:
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            message, remedy = (
                "is half removed: its entry points are there, and no metadata",
                "Reinstall or uninstall it",
            )
            found.append(Problem(name, "dist-info", message, remedy))
        else:
            found += [*_requirements(installed), *_registry_names(installed)]
    return sorted(found, key=lambda problem: (problem.distribution, problem.entry_point))


def _of_catalog() -> Iterator[Problem]:
    try:
        catalog = Catalog.installed()
    except UsageError as error:
        yield Problem("settings", "[tool.openbench.providers]", str(error), "Correct the file")
        return
    yield from catalog.problems
    for resolution in catalog.resolutions.values():
        if resolution.winner is None:
            names = ", ".join(map(str, resolution.candidates))
            remedy = f"Settle it: bench use {resolution.key} {resolution.candidates[0].distribution}"
            yield Problem(resolution.candidates[0].distribution, resolution.key, f"{resolution.why}: {names}", remedy)
    for name, choice in catalog.settings.choices.items():
        if not catalog.candidates(name):
            message = f"{choice.where} says that it provides {name}, but no one does"
            yield Problem(choice.distribution, name, message, f"Install it: pip install {choice.distribution}")
    for group in catalog.groups.values():
        missing = [name for name in group.value.benchmarks if not catalog.candidates(name.partition("@")[0])]
        if missing:
            message = f"members are not installed, so the suite has no score: {', '.join(missing)}"
            yield Problem(group.distribution, group.key, message, "Install the packages that provide them", loaded=True)


def _of_seams(commands: set[str]) -> Iterator[Problem]:
    """Load what plugins bring besides benchmarks, since a command line only loads what it uses."""
    with Guard() as guard:
        for group, taken in ((COMMANDS, commands), (EXECUTORS, {"local"})):
            first: dict[str, str] = {}
            for found in registered(group):
                name = found.entry_point.name
                other = CORE if name in taken else first.setdefault(name, found.distribution)
                if other != found.distribution:
                    message = f"{other} brings {name!r} of {group}, too"
                    yield Problem(found.distribution, name, message, "Uninstall one of the two")
                outcome = guard.call(found.entry_point.load)
                if outcome.error is not None:
                    yield load_problem(found, outcome.error)


def _published_package() -> Iterator[Problem]:
    """Warn of the package that was published under our name before: its modules lie where the kernel's do."""
    try:
        installed = distribution(_METAPACKAGE)
    except PackageNotFoundError:
        return
    files = [str(file) for file in installed.files or () if str(file).startswith("openbench/")]
    if files:
        yield Problem(
            f"{_METAPACKAGE} {installed.version}",
            "files",
            f"{len(files)} of its files, such as {files[0]}, lie where those of {CORE} do; one overwrites the other",
            f"Run: pip uninstall openbench; pip install --force-reinstall --no-deps {CORE}; pip install 'openbench>=1'",
        )


def _requirements(installed: Distribution) -> Iterator[Problem]:
    """Compare what a distribution declares to need with what is there; extras are left out."""
    for line in installed.requires or ():
        try:
            requirement = Requirement(line)
        except InvalidRequirement as error:
            message = f"is no requirement: {error}"
            yield Problem(installed.name, line, message, f"Tell the authors of {installed.name}", loaded=True)
            continue
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            there = version(requirement.name)
        except PackageNotFoundError:
            message, remedy = "is needed and not installed", f"Install it: pip install '{requirement}'"
            yield Problem(installed.name, line, message, remedy, loaded=True)
            continue
        if not requirement.specifier.contains(there, prereleases=True):
            remedy = f"Install one that fits: pip install --upgrade {installed.name} '{requirement}'"
            if canonical(requirement.name) == CORE:
                remedy += "; or run it in an environment of its own: bench eval --isolated"
            yield Problem(
                installed.name, line, f"is needed, but {requirement.name} {there} is installed", remedy, loaded=True
            )


def _registry_names(installed: Distribution) -> Iterator[Problem]:
    """Find distributions whose scorers and tasks have other names in inspect's registry than their wheel's have.

    inspect puts the import package before a name if the package lies in site-packages, or if a distribution of the
    very name of the package is installed editable.
    """
    if not _is_editable(installed):
        return
    for point in installed.entry_points:
        if point.group == _INSPECT and not _is_editable_named(point.name):
            message = (
                f"is installed editable, and no distribution named {point.name} is, so that inspect's registry has "
                f"its tasks and scorers without the prefix {point.name}/ that its wheel gives them"
            )
            other = (
                f"also install {point.name} editable"
                if canonical(installed.name) == CORE
                else (f"name the distribution {point.name.replace('_', '-')}")
            )
            yield Problem(installed.name, point.name, message, f"Install it from its wheel, or {other}", loaded=True)


def _is_editable_named(package: str) -> bool:
    try:
        return _is_editable(distribution(package))
    except PackageNotFoundError:
        return False


def _is_editable(installed: Distribution) -> bool:
    origin: Mapping[str, Mapping[str, bool]] = json.loads(installed.read_text("direct_url.json") or "{}")
    return bool(origin.get("dir_info", {}).get("editable"))
