"""Finds the distributions that a run uses, with their versions and origins."""

import ast
import json
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from openbench.registry.names import canonical

CORE = "openbench-core"
ALWAYS = (CORE, "inspect-ai", "datasets")
"""The distributions that every run uses."""


def needed_versions(roots: Iterable[str], leaves: Collection[str] = ()) -> dict[str, str]:
    """Return the versions of distributions and of their installed dependencies, sorted by name.

    Args:
        roots: The names of distributions; those that are not installed are left out.
        leaves: Names of distributions whose dependencies are left out.
    """
    found: dict[str, str] = {}
    waiting = [canonical(name) for name in roots]
    while waiting:
        name = waiting.pop()
        if name not in found:
            with suppress(PackageNotFoundError):
                found[name], needs = _installed(name)
                waiting += needs if name not in leaves else ()
    return dict(sorted(found.items()))


def needs_of_extra(name: str, extra: str) -> list[str]:
    """Return the names of a distribution's dependencies in this environment, with those of an extra."""
    return _installed(canonical(name), extra)[1]


@cache
def _installed(name: str, extra: str = "") -> tuple[str, list[str]]:
    """Return the version of a distribution and the names of its dependencies in this environment."""
    found, needs = distribution(name), []
    for line in found.requires or ():
        with suppress(InvalidRequirement):
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                needs.append(canonical(requirement.name))
    return found.version, needs


def local_origins(names: Iterable[str]) -> dict[str, str]:
    """Return the distributions that are installed from a local path, by name: `editable` or `path`.

    Source: their `direct_url.json` (https://packaging.python.org/specifications/direct-url/).
    """
    return {name: origin for name in names if (origin := _local_origin(name, tuple(sys.path)))}


@cache
def _local_origin(name: str, _path: tuple[str, ...]) -> str | None:
    with suppress(PackageNotFoundError, json.JSONDecodeError):
        url = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        if str(url.get("url", "")).startswith("file:"):
            return "editable" if url.get("dir_info", {}).get("editable") else "path"
    return None


def distribution_of(module: str) -> tuple[str, str] | None:
    """Return the name and version of the distribution that a module comes from; None if it comes from none."""
    return _distribution_of(module.partition(".")[0], tuple(sys.path))


@cache
def _distribution_of(top: str, _path: tuple[str, ...]) -> tuple[str, str] | None:
    try:  # its own name first: editable installs do not list their modules, and `packages` is slow
        found = distribution(CORE if top == "openbench" else top)
    except PackageNotFoundError:
        if not (names := packages().get(top)):
            return None
        found = distribution(names[0])
    return canonical(found.name), found.version


# It reads the file lists of all distributions, so it is called once.
packages = cache(packages_distributions)
"""Return the distributions that each top-level package comes from."""


def imported_distributions(sources: Iterable[Path]) -> list[str]:
    """Return the distributions that Python files import."""
    files = [path for path in sources if path.suffix == ".py" and path.is_file()]
    tops = {top for path in files for top in _imports(path, path.stat().st_mtime_ns)} - sys.stdlib_module_names
    return sorted({found[0] for top in tops if (found := distribution_of(top))})


@lru_cache(maxsize=256)
def _imports(path: Path, _changed: int) -> frozenset[str]:
    """Return the top-level packages that a file imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError):
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return frozenset(name.partition(".")[0] for name in names)


def source_folder(name: str) -> Path | None:
    """Return the folder of a distribution's imported package; None if none is imported.

    The package has the distribution's name, or contains its entry points.
    """
    points = distribution(name).entry_points
    for module in (name.replace("-", "_"), *(point.module.partition(".")[0] for point in points)):
        if file := getattr(sys.modules.get(module), "__file__", None):
            return Path(file).parent if Path(file).stem == "__init__" else None
    return None
