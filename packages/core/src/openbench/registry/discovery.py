"""Finds which distributions register entry points of ours, without importing any of them.

Only `entry_points.txt` of each distribution is read, and the head of METADATA of those that have some of ours:
importing `importlib.metadata`, which parses more, would cost more than the rest of `bench list`.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from openbench.registry.names import canonical, printable

if TYPE_CHECKING:
    from importlib.metadata import Distribution

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
_MOST_IN_PROBLEM = 300
_HEAD_BYTES = 4096  # of METADATA, where name and version stand
_NAME = re.compile(r"^Name:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
_VERSION = re.compile(r"^Version:[ \t]*(\S.*?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE)
# https://packaging.python.org/en/latest/specifications/entry-points/: module:attribute, extras are deprecated
_VALUE = re.compile(r"(?P<module>\w+(\.\w+)*)\s*(:\s*(?P<attribute>\w+(\.\w+)*)\s*)?(\[.*\]\s*)?")


@dataclass(frozen=True)
class Registered:
    """An entry point, and the distribution that registers it.

    Attributes:
        name: The entry point's name.
        value: What it names, as `module:attribute`.
        group: The entry-point group.
        distribution: The distribution's name.
        version: The distribution's version.
    """

    name: str
    value: str
    group: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    @property
    def module(self) -> str:
        """The module that it names."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Import the module and return the attribute.

        Raises:
            ValueError: The entry point does not have the form module:attribute.
        """
        match = _VALUE.fullmatch(self.value)
        if not match:
            raise ValueError(f"{self.value!r} is not of the form module:attribute")
        found: Any = import_module(match["module"])
        for name in (match["attribute"] or "").split(".") if match["attribute"] else ():
            found = getattr(found, name)
        return found


@dataclass(frozen=True)
class Plugin:
    """A distribution that registers entry points of ours.

    Attributes:
        name: Its name, fit to be shown.
        version: Its version, likewise.
        whole: Whether it has metadata of its own.
        info: Its `.dist-info` or `.egg-info` folder.
        entry_points: Those of ours.
    """

    name: str
    version: str
    whole: bool
    info: str
    entry_points: Sequence[Registered]

    @property
    def installed(self) -> "Distribution":
        """The distribution as `importlib.metadata` has it."""
        from importlib.metadata import Distribution  # noqa: PLC0415 - see the module's docstring

        return Distribution.at(self.info)


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a distribution.

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
            cut = shown if len(shown) <= _MOST_IN_PROBLEM else shown[:_MOST_IN_PROBLEM] + "…"
            object.__setattr__(self, text, cut)

    def __str__(self) -> str:
        return f"{self.distribution}: {self.entry_point}: {self.message}"

    @property
    def line(self) -> str:
        """The line that a command spends on it."""
        return f"{'warning' if self.loaded else 'not loaded'}: {self}"


def registered(group: str) -> list[Registered]:
    """Return the entry points of a group, by the names of their distributions.

    The variable `OPENBENCH_PLUGINS` limits them to those that it names, by distribution or by entry point and
    separated by commas; empty, it leaves none.
    """
    wanted = chosen_plugins()
    return [
        found
        for plugin in every_plugin()
        for found in plugin.entry_points
        if found.group == group and (wanted is None or wanted & {canonical(plugin.name), canonical(found.name)})
    ]


def by_name(group: str) -> Mapping[str, Sequence[Registered]]:
    """Return who registers each name of an entry-point group."""
    names: defaultdict[str, list[Registered]] = defaultdict(list)
    for found in registered(group):
        names[found.name].append(found)
    return dict(names)


def providers() -> dict[str, str]:
    """Return the distributions that register benchmarks, with their versions."""
    return {found.distribution: found.version for found in registered(BENCHMARKS)}


def chosen_plugins() -> frozenset[str] | None:
    """Return the names in `OPENBENCH_PLUGINS`, in canonical form; None if it is not set."""
    names = os.environ.get(PLUGINS_VARIABLE)
    return None if names is None else frozenset(canonical(name.strip()) for name in names.split(",") if name.strip())


def unknown_plugins() -> list[str]:
    """Return the names in `OPENBENCH_PLUGINS` that neither a distribution nor an entry point has."""
    known = {canonical(plugin.name) for plugin in every_plugin()}
    known |= {canonical(found.name) for plugin in every_plugin() for found in plugin.entry_points}
    return sorted((chosen_plugins() or frozenset()) - known)


def perhaps_left_out() -> str:
    """Return what to add where something was not found, since `OPENBENCH_PLUGINS` may leave it out."""
    return "" if chosen_plugins() is None else f" ({PLUGINS_VARIABLE} limits which plugins are used)"


def every_plugin() -> Sequence[Plugin]:
    """Return all plugins, sorted by name, whatever limits them; of several of a name, the first on the path."""
    return [same[0] for _, same in sorted(_scan(tuple(sys.path)).items())]


def duplicates() -> Mapping[str, Sequence[str]]:
    """Return the versions of each plugin that lies twice in one folder, as a failed upgrade leaves it."""
    twice = {}
    for same in _scan(tuple(sys.path)).values():
        versions = [plugin.version for plugin in same if os.path.dirname(plugin.info) == os.path.dirname(same[0].info)]
        if len(versions) > 1:
            twice[same[0].name] = versions
    return twice


@cache
def _scan(path: tuple[str, ...]) -> Mapping[str, Sequence[Plugin]]:
    """Read every distribution on a path once; plugins by canonical name, in the order of the path."""
    found: defaultdict[str, list[Plugin]] = defaultdict(list)
    for folder in dict.fromkeys(os.path.abspath(each) for each in path):
        for info in _info_folders(folder):
            text = _text(f"{info}/entry_points.txt")
            if _OURS in text and (points := list(_entry_points(text))):
                plugin = _plugin(info, points)
                found[canonical(plugin.name)].append(plugin)
    return dict(found)


def _info_folders(folder: str) -> Iterator[str]:
    """Yield the folders of distributions' metadata in a folder of the path; an egg holds its own."""
    try:
        names = os.listdir(folder)
    except OSError:  # an archive, or a folder that is not there
        return
    if "EGG-INFO" in names and folder.endswith(".egg"):
        yield f"{folder}/EGG-INFO"
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            yield f"{folder}/{name}"


def _entry_points(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield group, name and value of entry points of ours; one that is malformed fails when it is loaded."""
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] \t")
        elif line and not line.startswith(("#", ";")) and group.startswith(_OURS):
            name, _, value = line.partition("=")
            yield group, name.strip(), value.strip()


def _plugin(info: str, points: Sequence[tuple[str, str, str]]) -> Plugin:
    head = _text(f"{info}/METADATA", _HEAD_BYTES) or _text(f"{info}/PKG-INFO", _HEAD_BYTES)
    head = head.replace("\r\n", "\n").partition("\n\n")[0]
    found_name, found_version = _NAME.search(head), _VERSION.search(head)
    # A half-removed distribution may have its entry points still, and neither name nor version.
    module = points[0][2].partition(":")[0]
    name = printable(found_name[1] if found_name else module or "unknown")[:_MOST_IN_NAME]
    version = printable(found_version[1] if found_version else "unknown")[:_MOST_IN_NAME]
    entry_points = [Registered(point, value, group, name, version) for group, point, value in points]
    return Plugin(name, version, found_name is not None, info, entry_points)


def _text(path: str, most: int = -1) -> str:
    """Read a file, whatever its encoding; empty if there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
