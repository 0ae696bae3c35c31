"""Which distributions register entry points of ours: names and versions, without loading anything."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint
from importlib.metadata import distributions as installed_distributions
from typing import Any

from openbench.registry.names import canonical, printable

PLUGINS_VARIABLE = "OPENBENCH_PLUGINS"
BENCHMARKS = "openbench.benchmarks"
GROUPS = "openbench.groups"
COMMANDS = "openbench.commands"
EXECUTORS = "openbench.executors"
ENGINES = "openbench.engines"
LOADERS = "openbench.loaders"
STYLES = "openbench.styles"
SCORERS = "openbench.scorers"
SOLVERS = "openbench.solvers"
STAND_INS = "openbench.stand_ins"

_OURS = "openbench."
_MOST_IN_NAME = 100
_NAME = re.compile(r"^Name:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_VERSION = re.compile(r"^Version:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
# https://packaging.python.org/en/latest/specifications/entry-points/: module:attribute, extras are deprecated
_VALUE = re.compile(r"(?P<module>\w+(\.\w+)*)\s*(:\s*\w+(\.\w+)*\s*)?(\[.*\]\s*)?")


@dataclass(frozen=True)
class Registered:
    """An entry point, and the distribution that registers it."""

    entry_point: EntryPoint
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    @property
    def name(self) -> str:
        """The entry point's name."""
        return self.entry_point.name

    @property
    def module(self) -> str:
        """The module that it names."""
        return self.entry_point.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Import the module, and return the attribute.

        Raises:
            ValueError: The entry point does not have the form module:attribute.
        """
        if not _VALUE.fullmatch(self.entry_point.value):
            raise ValueError(f"{self.entry_point.value!r} is not of the form module:attribute")
        return self.entry_point.load()


@dataclass(frozen=True)
class Plugin:
    """A distribution that registers entry points of ours.

    Attributes:
        name: Its name, fit to be shown.
        version: Its version, likewise.
        whole: Whether it has metadata of its own.
        installed: The distribution itself.
        entry_points: Those of ours.
    """

    name: str
    version: str
    whole: bool
    installed: Distribution
    entry_points: Sequence[EntryPoint]


def registered(group: str) -> list[Registered]:
    """Return the entry points of a group, by the names of their distributions.

    The variable `OPENBENCH_PLUGINS` limits them to those that it names, by distribution or by entry point and
    separated by commas; empty, it leaves none.
    """
    wanted = chosen_plugins()
    return [
        Registered(entry_point, plugin.name, plugin.version)
        for plugin in every_plugin()
        for entry_point in plugin.entry_points
        if entry_point.group == group
        and (wanted is None or wanted & {canonical(plugin.name), canonical(entry_point.name)})
    ]


def chosen_plugins() -> frozenset[str] | None:
    """Return the names in `OPENBENCH_PLUGINS`, in canonical form; None if it is not set."""
    said = os.environ.get(PLUGINS_VARIABLE)
    if said is None:
        return None
    return frozenset(canonical(name.strip()) for name in said.split(",") if name.strip())


def unknown_plugins() -> list[str]:
    """Return the names in `OPENBENCH_PLUGINS` that neither a distribution nor an entry point has."""
    known = {canonical(plugin.name) for plugin in every_plugin()}
    known |= {canonical(point.name) for plugin in every_plugin() for point in plugin.entry_points}
    return sorted((chosen_plugins() or frozenset()) - known)


def perhaps_left_out() -> str:
    """Return what to add where something was not found, since `OPENBENCH_PLUGINS` may leave it out."""
    return "" if chosen_plugins() is None else f" ({PLUGINS_VARIABLE} limits which plugins are looked at)"


def every_plugin() -> Sequence[Plugin]:
    """Return all plugins, sorted by name, whatever limits them; of several of a name, the first on the path."""
    return [same[0] for _, same in sorted(_scan(tuple(sys.path)).items())]


def duplicates() -> Mapping[str, Sequence[str]]:
    """Return the versions of each plugin that lies twice in one folder, as a failed upgrade leaves it."""
    twice = {}
    for same in _scan(tuple(sys.path)).values():
        folders = [str(plugin.installed.locate_file("")) for plugin in same]
        versions = [plugin.version for plugin, folder in zip(same, folders, strict=True) if folder == folders[0]]
        if len(versions) > 1:
            twice[same[0].name] = versions
    return twice


def providers() -> dict[str, str]:
    """Return the distributions that register benchmarks with their versions, sorted."""
    return {found.distribution: found.version for found in registered(BENCHMARKS)}


@cache
def _scan(path: tuple[str, ...]) -> Mapping[str, Sequence[Plugin]]:
    """Read every distribution on a path once; plugins by canonical name, in the order of the path."""
    found: defaultdict[str, list[Plugin]] = defaultdict(list)
    for installed in installed_distributions(path=list(path)):
        text = _text(installed, "entry_points.txt")
        points = list(_entry_points(text)) if _OURS in text else []  # others are not worth parsing
        if points:
            plugin = _plugin(installed, points)
            found[canonical(plugin.name)].append(plugin)
    return dict(found)


def _entry_points(text: str) -> Iterator[EntryPoint]:
    """Parse entry points of ours; one that is malformed is still one, and fails when it is loaded."""
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] \t")
        elif line and not line.startswith(("#", ";")) and group.startswith(_OURS):
            name, _, value = line.partition("=")
            yield EntryPoint(name=name.strip(), value=value.strip(), group=group)


def _plugin(installed: Distribution, points: Sequence[EntryPoint]) -> Plugin:
    # Only the head is read: parsing a whole METADATA file, README and all, costs more than the rest of a scan.
    text = _text(installed, "METADATA") or _text(installed, "PKG-INFO")
    head = text.replace("\r\n", "\n").partition("\n\n")[0]
    name, version = _NAME.search(head), _VERSION.search(head)
    # A half-removed distribution may have its entry points still, and neither name nor version.
    return Plugin(
        name=printable(name[1] if name else points[0].value.partition(":")[0] or "unknown")[:_MOST_IN_NAME],
        version=printable(version[1] if version else "unknown")[:_MOST_IN_NAME],
        whole=name is not None,
        installed=installed,
        entry_points=points,
    )


def _text(installed: Distribution, name: str) -> str:
    """Read a file of a distribution's metadata, whatever its encoding; empty if there is none."""
    try:
        return installed.read_text(name) or ""
    except UnicodeDecodeError as error:
        return error.object.decode("utf-8", "replace")
    except OSError:
        return ""
