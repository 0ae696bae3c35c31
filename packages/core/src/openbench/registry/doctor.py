"""Finds what is wrong with an environment: its plugins, their requirements, and their conflicts."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier
from packaging.version import InvalidVersion

from openbench.errors import UsageError
from openbench.registry.benchmark import Benchmark
from openbench.registry.catalog import Catalog
from openbench.registry.components import KINDS, survey
from openbench.registry.discovery import Problem, every_plugin, providers, registered
from openbench.registry.names import canonical

CORE = "openbench-core"
_METAPACKAGE = "openbench"
_INSPECT = "inspect_ai"

# Each in a process of its own: an import may end the process, hang, or change what the next one finds.
_AT_ONCE, _MOST_SECONDS = 2, 120.0
_IMPORT = """
import sys
from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.errors import OpenbenchError
try:
    find_benchmark(Catalog.installed(), sys.argv[1]).task_function()
except OpenbenchError as error:
    sys.exit(str(error))
"""

Seams = Mapping[str, tuple[AbstractSet[str], Callable[[str], object]]]


def diagnose(seams: Seams) -> list[Problem]:
    """Return everything that is wrong, by the distribution that it concerns.

    Args:
        seams: For each entry-point group besides those of the catalog, the names that plugins cannot have, and what
            loads a name or raises `UsageError`.
    """
    found = [*_of_catalog(), *_of_components(), *_of_seams(seams), *_published_package()]
    found += _of_distribution(CORE, distribution(CORE))
    for plugin in every_plugin():
        if plugin.whole:
            found += _of_distribution(plugin.name, plugin.installed)
        else:
            message = "is partly removed: it has entry points but no metadata"
            found.append(Problem(plugin.name, "dist-info", message, "Reinstall or uninstall it"))
    once = dict.fromkeys(found)  # a settings file that is not valid TOML is read once a table
    return sorted(once, key=lambda problem: (problem.distribution, problem.entry_point))


def import_tasks(benchmarks: Sequence[Benchmark]) -> Iterator[Problem | None]:
    """Import the tasks of benchmarks in child processes, two at a time.

    Yields:
        For each, in order, why its task cannot be imported; None if it can.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(_import_task, benchmarks)


def _import_task(benchmark: Benchmark) -> Problem | None:
    command = [sys.executable, "-c", _IMPORT, benchmark.reference]
    try:
        done = subprocess.run(  # noqa: S603 -- our own Python
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = f"importing its task timed out after {_MOST_SECONDS:.0f} s"
    else:
        if done.returncode == 0:
            return None
        message = (done.stderr.strip().splitlines() or [f"importing its task ended Python with {done.returncode}"])[-1]
    provider = benchmark.distribution or benchmark.reference
    remedy = f"Reinstall {provider} with its dependencies, or tell its authors"
    return Problem(provider, benchmark.key, message, remedy, loaded=True)


def _of_catalog() -> Iterator[Problem]:
    try:
        catalog = Catalog.installed()
    except UsageError as error:
        yield _of_settings(error)
        return
    yield from catalog.problems
    for resolution in catalog.resolutions.values():
        if resolution.winner is None:
            names = ", ".join(map(str, resolution.candidates))
            remedy = f"Settle it: bench use {resolution.key} {resolution.candidates[0].distribution}"
            yield Problem(resolution.candidates[0].distribution, resolution.key, f"{resolution.why}: {names}", remedy)
    yield from _dead_overrides(catalog)
    for name, choice in catalog.settings.choices.items():
        if not catalog.candidates(name):
            message = f"{choice.where} says that it provides {name}, but no one does"
            yield Problem(choice.distribution, name, message, f"Install it: pip install {choice.distribution}")
    for group in catalog.groups.values():
        if nested := [member for member in group.value.benchmarks if catalog.group(member)]:
            message = f"members are suites, but suites may hold benchmarks only: {', '.join(nested)}"
            yield Problem(group.distribution, group.key, message, f"Tell the authors of {group.distribution}")
        elif missing := catalog.missing(group):
            message = f"members are not installed, so the suite has no score: {', '.join(missing)}"
            yield Problem(group.distribution, group.key, message, "Install the packages that provide them", loaded=True)


def _of_settings(error: UsageError) -> Problem:
    return Problem("settings", "openbench", str(error), "Correct what it names")


def _of_components() -> Iterator[Problem]:
    for kind in KINDS:
        try:
            yield from survey(kind, Path.cwd())
        except UsageError as error:
            yield _of_settings(error)


def _dead_overrides(catalog: Catalog) -> Iterator[Problem]:
    """Find benchmarks that override a distribution which is there, and has none of their name."""
    installed = {canonical(name) for name in providers()}
    for resolution in catalog.resolutions.values():
        there = {canonical(candidate.distribution) for candidate in resolution.candidates}
        for candidate in resolution.candidates:
            other = candidate.value.overrides
            if other and canonical(other) in installed - there:
                message = f"declares that it overrides {other}, which has no benchmark of this name"
                remedy = f"Tell the authors of {candidate.distribution}"
                yield Problem(candidate.distribution, candidate.key, message, remedy, loaded=True)


def _of_seams(seams: Seams) -> Iterator[Problem]:
    """Load what plugins bring besides benchmarks, since a command line only loads what it uses."""
    for group, (reserved, load) in seams.items():
        first: dict[str, str] = {}
        for found in registered(group):
            other = CORE if found.name in reserved else first.setdefault(found.name, found.distribution)
            if other != found.distribution:
                message = f"{other} has {found.name!r} of {group}, too"
                yield Problem(found.distribution, found.name, message, "Uninstall one of the two")
                continue
            try:
                load(found.name)
            except UsageError as error:
                yield Problem(found.distribution, found.name, str(error), "Uninstall it, if you do not need it")


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


def _of_distribution(name: str, installed: Distribution) -> list[Problem]:
    try:
        return [*_requirements(name, installed), *_registry_names(name, installed)]
    except UnicodeDecodeError as error:
        return [Problem(name, "METADATA", f"is not valid UTF-8: {error.reason}", f"Reinstall {name}", loaded=True)]


def _requirements(name: str, installed: Distribution) -> Iterator[Problem]:
    """Compare a distribution's requirements with what is installed, without extras."""
    for line in installed.requires or ():
        try:
            message, remedy = _unmet(name, Requirement(line))
        except (InvalidRequirement, InvalidSpecifier, InvalidVersion) as error:
            first = str(error).partition("\n")[0]
            message, remedy = f"cannot be compared with what is installed: {first}", f"Tell the authors of {name}"
        if message:
            yield Problem(name, line, message, remedy, loaded=True)


def _unmet(name: str, requirement: Requirement) -> tuple[str, str]:
    """Say why a requirement is not met, and the way out; nothing if it is."""
    if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
        return "", ""
    try:
        there: str | None = distribution(requirement.name).version
    except PackageNotFoundError:
        return "is needed and not installed", f"Install it: pip install '{requirement}'"
    if there is None:
        return f"is needed, but {requirement.name} is partly removed", f"Reinstall it: pip install '{requirement}'"
    if requirement.specifier.contains(there, prereleases=True):
        return "", ""
    remedy = f"Install one that fits: pip install --upgrade {name} '{requirement}'"
    if canonical(requirement.name) == CORE:
        remedy += "; or run it in an environment of its own: bench eval --isolated"
    return f"is needed, but {requirement.name} {there} is installed", remedy


def _registry_names(name: str, installed: Distribution) -> Iterator[Problem]:
    """Find distributions whose scorers and tasks have other names in inspect's registry than their wheel's have.

    inspect puts the import package before a name if the package lies in site-packages, or if a distribution of the
    very name of the package is installed editable.
    """
    if not _is_editable(installed):
        return
    for point in installed.entry_points.select(group=_INSPECT):
        if not _is_editable_named(point.name):
            message = (
                f"is installed editable, and no distribution named {point.name} is, so that inspect's registry has "
                f"its tasks and scorers without the prefix {point.name}/ that its wheel gives them"
            )
            name_it = f"name the distribution {point.name.replace('_', '-')}"
            other = f"also install {point.name} editable" if canonical(name) == CORE else name_it
            yield Problem(name, point.name, message, f"Install it from its wheel, or {other}", loaded=True)


def _is_editable_named(package: str) -> bool:
    try:
        return _is_editable(distribution(package))
    except PackageNotFoundError:
        return False


def _is_editable(installed: Distribution) -> bool:
    """Return whether a distribution is installed editable (https://peps.python.org/pep-0660/)."""
    try:
        origin: Any = json.loads(installed.read_text("direct_url.json") or "{}")
        return bool(origin.get("dir_info", {}).get("editable"))
    except (ValueError, AttributeError):  # damaged, which the installer reports
        return False
