"""Finds which distributions register entry points of ours, without importing any of them.

Only `entry_points.txt` of each distribution is read, and the head of METADATA of those that have some of ours:
importing `importlib.metadata`, which parses more, would cost more than the rest of `bench list`.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

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
_HEAD_BYTES = 4_096  # of METADATA, where name and version stand
_MOST_BYTES = 1_048_576


class Registered(NamedTuple):
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
        # https://packaging.python.org/en/latest/specifications/entry-points/; extras, in brackets, are deprecated
        value = self.value.partition("[")[0] if self.value.endswith("]") else self.value
        module, colon, attribute = (part.strip() for part in value.partition(":"))
        names = attribute.split(".") if colon else []
        if not all(name.isidentifier() for name in [*module.split("."), *names]):
            raise ValueError(f"{self.value!r} is not of the form module:attribute")
        return reduce(getattr, names, import_module(module))


class Plugin(NamedTuple):
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
        """The line that a command writes about it."""
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
    found_name, found_version = _field(head, "name"), _field(head, "version")
    # A half-removed distribution may have its entry points still, and neither name nor version.
    module = points[0][2].partition(":")[0]
    name = printable(found_name or module or "unknown")[:_MOST_IN_NAME]
    version = printable(found_version or "unknown")[:_MOST_IN_NAME]
    entry_points = [Registered(point, value, group, name, version) for group, point, value in points]
    return Plugin(name, version, bool(found_name), info, entry_points)


def _field(head: str, field: str) -> str:
    """Return a field of METADATA; empty if it has none."""
    for line in head.splitlines():
        name, _, value = line.partition(":")
        if name.lower() == field and value.strip():
            return value.strip()
        if not line:  # what follows is the README
            break
    return ""


def _text(path: str, most: int = _MOST_BYTES) -> str:
    """Read a file, whatever its encoding; empty if there is none."""
    try:
        file = os.open(path, os.O_RDONLY)  # `open` takes three times as long
        try:
            return os.read(file, most).decode("utf-8", "replace")
        finally:
            os.close(file)
    except OSError:
        return ""
