"""Finds which distributions a run uses: versions of what is loaded, and what is installed from a local path."""

import ast
import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from openbench.registry.names import canonical

CORE = "openbench-core"
_VERSION = re.compile(r"^Version:[ \t]*(\S+)", re.MULTILINE | re.IGNORECASE)
_NEEDS = re.compile(r"^Requires-Dist:[ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ALWAYS = (CORE, "inspect-ai", "datasets")


def loaded_versions(roots: Iterable[str]) -> dict[str, str]:
    """Return the versions of distributions and of what they depend on, as far as it is imported, sorted by name.

    The kernel, inspect-ai and datasets are always among them.

    Args:
        roots: The names of distributions; one that is not installed is left out.
    """
    found = _closure([*_ALWAYS, *roots])
    kept = {name for name in found if name in _ALWAYS or is_loaded(name)} | {canonical(name) for name in roots}
    return {name: found[name].version for name in sorted(kept & found.keys())}


def used_versions(roots: Iterable[str], modules: Iterable[str]) -> dict[str, str]:
    """Return the versions of distributions and of what they need, sorted by name.

    Of the kernel, inspect-ai and datasets, what they need is left out, but for libraries of an extra that a module
    names.

    Args:
        roots: The names of distributions; one that is not installed is left out.
        modules: The names of loaded modules, whose distributions are roots, too.
    """
    origins = {module: found[0] for module in modules if (found := distribution_of(module))}
    extras = [need for module, name in origins.items() for need in _installed(name).extras if _names(module, need)]
    used = _closure([*roots, *origins.values(), *extras], leaves=_ALWAYS)
    return {name: each.version for name, each in sorted(used.items())}


def needed_versions(roots: Iterable[str]) -> dict[str, str]:
    """Return the versions of distributions and of all that they depend on here, sorted by name.

    Args:
        roots: The names of distributions; one that is not installed is left out.
    """
    return {name: found.version for name, found in sorted(_closure(roots).items())}


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


def source_folder(name: str) -> Path | None:
    """Return the folder of the package that a distribution has loaded; None if it has none."""
    for module in map(sys.modules.get, sorted(_import_names(name))):
        if file := getattr(module, "__file__", None):
            return Path(file).parent if Path(file).stem == "__init__" else None
    return None


def distribution_of(module: str) -> tuple[str, str] | None:
    """Return the name and the version of the distribution that a module comes from; None if it comes from none."""
    return _distribution_of(module.partition(".")[0], tuple(sys.path))


@cache
def _distribution_of(top: str, _path: tuple[str, ...]) -> tuple[str, str] | None:
    # An editable install does not list its modules, but ours are named as their distributions are.
    guesses = [CORE] if top == "openbench" else [top, *packages().get(top, ())]
    for guess in guesses:
        with suppress(PackageNotFoundError):
            found = distribution(guess)
            return canonical(found.name), found.version
    return None


def imported_distributions(sources: Iterable[Path]) -> list[str]:
    """Return the distributions that Python files import, whether or not they are loaded."""
    tops = {
        top for path in sources if path.suffix == ".py" for top in _imports(path, _changed(path))
    } - sys.stdlib_module_names
    return sorted({found[0] for top in tops if (found := distribution_of(top))})


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=256)
def _imports(path: Path, _changed: int) -> frozenset[str]:
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


@dataclass(frozen=True)
class _Installed:
    """The version of a distribution, and the names of what it needs here: always, and for its extras."""

    version: str
    needs: tuple[str, ...]
    extras: tuple[str, ...]


def _closure(roots: Iterable[str], leaves: Collection[str] = ()) -> Mapping[str, _Installed]:
    found: dict[str, _Installed] = {}
    waiting = [canonical(name) for name in roots]
    while waiting:
        name = waiting.pop()
        if name not in found:
            with suppress(PackageNotFoundError):
                found[name] = _installed(name)
                waiting += found[name].needs if name not in leaves else ()
    return found


@cache
def _installed(name: str) -> _Installed:
    # Only the head is read: parsing a whole METADATA file, README and all, costs more than the rest.
    text = (distribution(name).read_text("METADATA") or "").replace("\r\n", "\n").partition("\n\n")[0]
    version = _VERSION.search(text)
    needs: list[str] = []
    extras: list[str] = []
    for line in _NEEDS.findall(text):
        with suppress(InvalidRequirement):
            requirement = Requirement(line)
            always = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            (needs if always else extras).append(canonical(requirement.name))
    return _Installed(version[1] if version else distribution(name).version, tuple(needs), tuple(extras))


@cache
def _names(module: str, need: str) -> bool:
    """Return whether the source of a loaded module names the package that is called like a distribution."""
    file = getattr(sys.modules.get(module), "__file__", None)
    with suppress(OSError):
        return bool(file) and need.replace("-", "_") in _WORD.findall(Path(str(file)).read_text("utf-8", "replace"))
    return False


def is_loaded(name: str) -> bool:
    """Return whether a package of a distribution is imported."""
    return any(top in sys.modules for top in _import_names(name))


@cache
def _import_names(name: str) -> frozenset[str]:
    """Return the import packages of a distribution; editable ones list none, and register entry points of theirs."""
    found = distribution(name)
    names = {canonical(name).replace("-", "_")} | {point.module.partition(".")[0] for point in found.entry_points}
    if not any(top in sys.modules for top in names):
        names |= {top for top, providers in packages().items() if name in map(canonical, providers)}
    return frozenset(names)


@cache
def packages() -> Mapping[str, list[str]]:
    """Return the distributions that each top-level package comes from, as they were found once."""
    return packages_distributions()


@cache
def _direct_url(name: str, _path: tuple[str, ...]) -> dict[str, Any]:
    with suppress(PackageNotFoundError, json.JSONDecodeError):
        found: dict[str, Any] = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        return found
    return {}
