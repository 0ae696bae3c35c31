"""Finds the distributions that register entry points of openbench, without importing any of them.

Only the names of `.dist-info` folders and their `entry_points.txt` are read
(https://packaging.python.org/en/latest/specifications/recording-installed-packages/): importing `importlib.metadata`,
which parses more, would cost more than the rest of `bench list`.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pkgutil import resolve_name
from typing import Any, NamedTuple

from openbench.registry.names import canonical, printable

PLUGINS_VARIABLE = "OPENBENCH_PLUGINS"
BENCHMARKS = "openbench.benchmarks"
GROUPS = "openbench.groups"
SUITES = "openbench.suites"
COMMANDS = "openbench.commands"
EXECUTORS = "openbench.executors"
ENGINES = "openbench.engines"
EVAL_OPTIONS = "openbench.eval_options"
CHECKS = "openbench.checks"
DISPLAYS = "openbench.displays"
HOOKS = "openbench.hooks"
HARNESSES = "openbench.harnesses"
LOADERS = "openbench.loaders"
PATHS = "openbench.paths"
STYLES = "openbench.styles"

_OURS = "openbench."
_MOST_IN_PROBLEM = 300


class Registered(NamedTuple):
    """An entry point, whose value is `module:attribute`, and the distribution that registers it, in canonical form."""

    name: str
    value: str
    group: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"

    @property
    def package(self) -> str:
        """The top-level package of its module."""
        return self.value.partition(":")[0].partition(".")[0]

    def load(self) -> Any:
        """Import the module and return the attribute."""
        return resolve_name(self.value.partition("[")[0].strip())  # extras, in brackets, are deprecated


class Plugin(NamedTuple):
    """A distribution that registers entry points of openbench."""

    name: str
    version: str
    entry_points: Sequence[Registered]


@dataclass(frozen=True)
class Problem:
    """A problem with a distribution.

    Its texts may come from anywhere, so they are truncated and escaped.

    Attributes:
        distribution: The distribution.
        entry_point: The entry point, or whatever else of the distribution is affected.
        message: The problem, in one line.
        remedy: How to fix it.
        loaded: Whether the entry point is used nevertheless.
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
        """The line that commands print."""
        return f"{'warning' if self.loaded else 'not loaded'}: {self}"


def registered(group: str) -> list[Registered]:
    """Return the entry points of a group, sorted by distribution.

    The variable `OPENBENCH_PLUGINS`, a comma-separated list of distributions and entry points, limits them to those
    listed; an empty list leaves none.
    """
    wanted = chosen_plugins()
    return [
        found
        for plugin in every_plugin()
        for found in plugin.entry_points
        if found.group == group and (wanted is None or plugin.name in wanted or canonical(found.name) in wanted)
    ]


def by_name(group: str) -> Mapping[str, Sequence[Registered]]:
    """Return the entry points of a group by name; several distributions may register the same name."""
    names: defaultdict[str, list[Registered]] = defaultdict(list)
    for found in registered(group):
        names[found.name].append(found)
    return dict(names)


def chosen_plugins() -> frozenset[str] | None:
    """Return the names in `OPENBENCH_PLUGINS`, in canonical form; None if the variable is not set."""
    names = os.environ.get(PLUGINS_VARIABLE)
    return None if names is None else frozenset(canonical(name.strip()) for name in names.split(",") if name.strip())


def unknown_plugins() -> list[str]:
    """Return the names in `OPENBENCH_PLUGINS` that match neither a distribution nor an entry point."""
    unknown = chosen_plugins() or frozenset()
    for plugin in every_plugin() if unknown else ():
        unknown -= {plugin.name, *(canonical(found.name) for found in plugin.entry_points)}
    return sorted(unknown)


def perhaps_left_out() -> str:
    """Return a hint for messages about something not found, which `OPENBENCH_PLUGINS` may exclude."""
    return "" if chosen_plugins() is None else f" ({PLUGINS_VARIABLE} limits which plugins are used)"


def every_plugin() -> Sequence[Plugin]:
    """Return all plugins, sorted by name, regardless of `OPENBENCH_PLUGINS`; the first on the path wins."""
    return _scan(tuple(sys.path))


@cache
def _scan(path: tuple[str, ...]) -> Sequence[Plugin]:
    found: dict[str, Plugin] = {}
    for folder in path:
        try:
            names = os.listdir(folder or ".")
        except OSError:  # an archive, or a folder that does not exist
            continue
        for info in names:
            if info.endswith(".dist-info") and _OURS in (text := _text(f"{folder or '.'}/{info}/entry_points.txt")):
                name, _, version = printable(info.removesuffix(".dist-info")).partition("-")
                origin = canonical(name), version or "unknown"
                if points := [Registered(*point, *origin) for point in _entry_points(text)]:
                    found.setdefault(origin[0], Plugin(*origin, points))
    return sorted(found.values())


def _entry_points(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and group of the entry points of openbench; malformed ones fail when they are loaded."""
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] \t")
        elif line and not line.startswith(("#", ";")) and group.startswith(_OURS):
            name, _, value = line.partition("=")
            yield name.strip(), value.strip(), group


def _text(path: str) -> str:
    """Read a file, whatever its encoding; empty if it cannot be read."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
