"""Finds which distributions a run uses, in which versions, and what is installed from a local path."""

import ast
import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from openbench.registry.names import canonical

CORE = "openbench-core"
ALWAYS = (CORE, "inspect-ai", "datasets")
"""The distributions that every run uses."""


def needed_versions(roots: Iterable[str], leaves: Collection[str] = ()) -> dict[str, str]:
    """Return the versions of distributions and of all that they depend on here, sorted by name.

    Args:
        roots: The names of distributions; one that is not installed is left out.
        leaves: Those whose dependencies are left out.
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
    """Return the names of what a distribution needs here with an extra."""
    return _installed(canonical(name), extra)[1]


@cache
def _installed(name: str, extra: str = "") -> tuple[str, list[str]]:
    """Return the version of a distribution, and the names of what it needs here, with an extra if one is given."""
    found, needs = distribution(name), []
    for line in found.requires or ():
        with suppress(InvalidRequirement):
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                needs.append(canonical(requirement.name))
    return found.version, needs


def local_origins(names: Iterable[str]) -> dict[str, str]:
    """Return which distributions come from a path of this machine, by name: `editable` or `path`.

    It is in their `direct_url.json` (https://packaging.python.org/specifications/direct-url/).
    """
    origins = {}
    for name in names:
        url = _direct_url(name, tuple(sys.path))
        if str(url.get("url", "")).startswith("file:"):
            origins[name] = "editable" if url.get("dir_info", {}).get("editable") else "path"
    return origins


@cache
def _direct_url(name: str, _path: tuple[str, ...]) -> dict[str, Any]:
    with suppress(PackageNotFoundError, json.JSONDecodeError):
        found: dict[str, Any] = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        return found
    return {}


def distribution_of(module: str) -> tuple[str, str] | None:
    """Return the name and the version of the distribution that a module comes from; None if it comes from none."""
    return _distribution_of(module.partition(".")[0], tuple(sys.path))


@cache
def _distribution_of(top: str, _path: tuple[str, ...]) -> tuple[str, str] | None:
    # An editable install does not list its modules, but ours are named as their distributions are.
    for guess in [CORE] if top == "openbench" else _distribution_names(top):
        with suppress(PackageNotFoundError):
            found = distribution(guess)
            return canonical(found.name), found.version
    return None


def _distribution_names(top: str) -> Iterator[str]:
    """Yield the distributions that a package may come from, its own name first: the others read all installed files."""
    yield top
    yield from packages().get(top, ())


@cache
def packages() -> Mapping[str, list[str]]:
    """Return the distributions that each top-level package comes from, as they were found once."""
    return packages_distributions()


def imported_distributions(sources: Iterable[Path]) -> list[str]:
    """Return the distributions that Python files import, whether or not they are loaded."""
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
    """Return the folder of the package that a distribution has loaded; None if it has none.

    The package has the distribution's name, or its entry points are in it.
    """
    points = distribution(name).entry_points
    for module in (name.replace("-", "_"), *(point.module.partition(".")[0] for point in points)):
        if file := getattr(sys.modules.get(module), "__file__", None):
            return Path(file).parent if Path(file).stem == "__init__" else None
    return None
