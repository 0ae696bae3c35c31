"""Which distributions register entry points of ours: names and versions, without loading anything."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint
from importlib.metadata import distributions as installed_distributions

from openbench.names import canonical, printable

PLUGINS_VARIABLE = "OPENBENCH_PLUGINS"
BENCHMARKS = "openbench.benchmarks"
GROUPS = "openbench.groups"
COMMANDS = "openbench.commands"
EXECUTORS = "openbench.executors"

_OURS = "openbench."
_NAME = re.compile(r"^Name:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_VERSION = re.compile(r"^Version:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class Registered:
    """An entry point, and the distribution that registers it."""

    entry_point: EntryPoint
    distribution: str
    version: str


@dataclass(frozen=True)
class _Plugin:
    distribution: str
    version: str
    folder: str
    entry_points: Sequence[EntryPoint]


@dataclass(frozen=True)
class _Scan:
    plugins: Sequence[_Plugin]
    duplicates: Mapping[str, Sequence[str]]


def registered(group: str) -> list[Registered]:
    """Return the entry points of a group, by the names of their distributions.

    The variable `OPENBENCH_PLUGINS` limits them to those that it names, by distribution or by entry point and
    separated by commas; empty, it leaves none.
    """
    wanted = chosen_plugins()
    return [
        Registered(entry_point, plugin.distribution, plugin.version)
        for plugin in _scan(tuple(sys.path)).plugins
        for entry_point in plugin.entry_points
        if entry_point.group == group
        and (wanted is None or wanted & {canonical(plugin.distribution), canonical(entry_point.name)})
    ]


def chosen_plugins() -> frozenset[str] | None:
    """Return the names in `OPENBENCH_PLUGINS`, in canonical form; None if it is not set."""
    said = os.environ.get(PLUGINS_VARIABLE)
    if said is None:
        return None
    return frozenset(canonical(name.strip()) for name in said.split(",") if name.strip())


def unknown_plugins() -> list[str]:
    """Return the names in `OPENBENCH_PLUGINS` that neither a distribution nor an entry point has."""
    plugins = _scan(tuple(sys.path)).plugins
    known = {canonical(plugin.distribution) for plugin in plugins}
    known |= {canonical(point.name) for plugin in plugins for point in plugin.entry_points}
    return sorted((chosen_plugins() or frozenset()) - known)


def duplicates() -> Mapping[str, Sequence[str]]:
    """Return the versions of each distribution that lies twice in one folder, as a failed upgrade leaves it."""
    return _scan(tuple(sys.path)).duplicates


def providers() -> dict[str, str]:
    """Return the distributions that register benchmarks with their versions, sorted."""
    return {found.distribution: found.version for found in registered(BENCHMARKS)}


def every_plugin() -> dict[str, str]:
    """Return the distributions that register anything of ours with their versions, sorted, whatever limits them."""
    return {plugin.distribution: plugin.version for plugin in _scan(tuple(sys.path)).plugins}


@cache
def _scan(path: tuple[str, ...]) -> _Scan:
    """Read every distribution on a path once; the first of a name is the one that counts."""
    found: defaultdict[str, list[_Plugin]] = defaultdict(list)
    for distribution in installed_distributions(path=list(path)):
        text = distribution.read_text("entry_points.txt")
        points = (
            [point for point in distribution.entry_points if point.group.startswith(_OURS)]
            if _OURS in (text or "")
            else []
        )
        if points:
            plugin = _plugin(distribution, points)
            found[canonical(plugin.distribution)].append(plugin)
    twice = {}
    for same in found.values():
        versions = [plugin.version for plugin in same if plugin.folder == same[0].folder]
        if len(versions) > 1:
            twice[same[0].distribution] = versions
    first = (same[0] for same in found.values())
    return _Scan(sorted(first, key=lambda plugin: plugin.distribution), twice)


def _plugin(distribution: Distribution, points: Sequence[EntryPoint]) -> _Plugin:
    # Only the head is read: parsing a whole METADATA file, README and all, costs more than the rest of a scan.
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    head = text.replace("\r\n", "\n").partition("\n\n")[0]
    name, version = _NAME.search(head), _VERSION.search(head)
    # A half-removed distribution may have its entry points still, and neither name nor version.
    return _Plugin(
        distribution=printable(name[1]) if name else points[0].module,
        version=printable(version[1]) if version else "unknown",
        folder=str(distribution.locate_file("")),
        entry_points=points,
    )
