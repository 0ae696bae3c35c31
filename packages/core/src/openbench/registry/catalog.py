"""All benchmarks and groups of an environment, by name.

Metadata are loaded from entry points and checked. A plugin that fails costs one reported problem; the others are read.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin

from openbench.errors import UnknownNameError, UsageError
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench.registry.discovery import (
    BENCHMARKS,
    GROUPS,
    PLUGINS_VARIABLE,
    Problem,
    Registered,
    perhaps_left_out,
    registered,
    unknown_plugins,
)
from openbench.registry.harnesses import harness_candidates, harness_hint
from openbench.registry.names import MOST_CHARACTERS, canonical, key_fault, normalized, unprintable
from openbench.registry.plugin_loader import described, load_each, load_problem, problem
from openbench.registry.resolution import Candidate, Choice, Provided, Resolution, not_provided, refusal, resolve
from openbench.registry.settings import Settings, read_settings

T = TypeVar("T")

Group = Provided[BenchmarkGroup]


class Catalog:
    """Benchmarks and groups, the distributions that provide them, and the problems of those that cannot be used."""

    def __init__(
        self,
        benchmarks: Iterable[Candidate],
        groups: Iterable[Group] = (),
        problems: Iterable[Problem] = (),
        *,
        settings: Settings | None = None,
        overrides: bool = True,
    ) -> None:
        """Make a catalog."""
        self.problems = list(problems)
        self.groups: dict[str, Group] = {}
        self.settings = settings or Settings()
        self.overrides = overrides
        self._candidates: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in benchmarks:
            self._add(candidate)
        for group in groups:
            self._add_group(group)

    @classmethod
    def installed(cls, *, overrides: bool = True) -> "Catalog":
        """Read the catalog of this environment, and the settings of the working directory's project."""
        settings = read_settings(Path.cwd())
        benchmarks, problems = discover(BENCHMARKS, BenchmarkMetadata)
        groups, group_problems = discover(GROUPS, BenchmarkGroup)
        problems += group_problems
        if unknown := ", ".join(unknown_plugins()):
            message, remedy = "no distribution or entry point has this name", f"Correct or unset {PLUGINS_VARIABLE}"
            problems.append(Problem(PLUGINS_VARIABLE, unknown, message, remedy))
        return cls(benchmarks, groups, problems, settings=settings, overrides=overrides)

    def _add(self, candidate: Candidate) -> None:
        same_name = self._candidates[normalized(candidate.key)]
        twin = next((c for c in same_name if canonical(c.distribution) == canonical(candidate.distribution)), None)
        if twin:
            message = f"registers {twin.key!r} and {candidate.key!r}, which are one name; the first is used"
            remedy = f"Report it to the authors of {candidate.distribution}: `-` and `_` are equal in names"
            self.problems.append(Problem(candidate.distribution, candidate.key, message, remedy))
        else:
            same_name.append(candidate)

    def _add_group(self, group: Group) -> None:
        name = normalized(group.key)
        taken = f"the group of {self.groups[name].distribution}" if name in self.groups else ""
        if name in self._candidates:
            taken = f"the benchmark of {self._candidates[name][0].distribution}"
        if taken:
            message = f"the group {group.key!r} is not used: {taken} has this name"
            remedy = f"Uninstall the one that you do not need, or report it to the authors of {group.distribution}"
            self.problems.append(Problem(group.distribution, group.key, message, remedy))
        else:
            self.groups[name] = group

    @cached_property
    def resolutions(self) -> Mapping[str, Resolution]:
        """The resolution of every name, sorted by name."""
        resolved = map(self._resolve, self._candidates.values())
        return {resolution.key: resolution for resolution in sorted(resolved, key=lambda r: r.key)}

    def _resolve(self, candidates: Sequence[Candidate]) -> Resolution:
        choice = self.settings.choices.get(normalized(candidates[0].key))
        return resolve(candidates, choice, overrides=self.overrides)

    def candidates(self, name: str) -> Sequence[Candidate]:
        """Return the candidates for a name; empty if no distribution provides it."""
        return self._candidates.get(normalized(name)) or harness_candidates(name)

    def find(self, reference: str) -> Resolution:
        """Resolve `name` or `name@distribution` to the one that provides it.

        Raises:
            UnknownNameError: There is no such benchmark, or that distribution does not provide it.
            UsageError: Several distributions provide it, and no rule decides between them.
        """
        resolution = self.explain(reference)
        if resolution.winner is None:
            raise UsageError(refusal(resolution))
        return resolution

    def explain(self, reference: str) -> Resolution:
        """Resolve `name` or `name@distribution` like `find`, but return a conflict instead of raising."""
        name, at, distribution = reference.partition("@")
        candidates = self.candidates(name)
        if not candidates:
            raise UnknownNameError(self._unknown(reference))
        if not at:
            return self._resolve(candidates)
        resolution = resolve(candidates, Choice(distribution, reference))
        if resolution.winner is None:
            raise UnknownNameError(not_provided(name, distribution, [each.distribution for each in candidates]))
        return resolution

    def key_shown_as(self, name: str, unknown: UnknownNameError) -> str:
        """Return the key of the benchmark with a display name (`BenchmarkMetadata.name`), for a name that is not a key.

        An exact match goes before one that ignores letter case. Candidates that lost to another do not count; in a
        conflict, all do. Without a match, the error of looking the name up as a key is raised.
        """
        shown = [
            (each.value.name, resolution.key)
            for resolution in ([] if self.group(name) else self.resolutions.values())
            for each in ([resolution.winner] if resolution.winner else resolution.candidates)
        ]
        found = {key for display, key in shown if display == name}
        found = found or {key for display, key in shown if display.casefold() == name.casefold()}
        if len(found) > 1:
            keys = ", ".join(sorted(found))
            raise UsageError(f"{name}: several benchmarks have this name: {keys}. Name one by its key.") from unknown
        if not found:
            raise unknown
        return found.pop()

    def missing(self, group: Group) -> list[str]:
        """Return the members of a group that no distribution provides."""
        missing = []
        for member in group.value.benchmarks:
            try:
                self.explain(member)
            except UnknownNameError:
                missing.append(member)
        return missing

    def not_loaded(self, name: str) -> list[Problem]:
        """Return the problems of entry points with this name that could not be loaded."""
        wanted = normalized(name)
        return [each for each in self.problems if not each.loaded and normalized(each.entry_point) == wanted]

    def group(self, name: str) -> Group | None:
        """Return the group of a name, if there is one."""
        return self.groups.get(normalized(name))

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only an unknown name pays for it

        known = {normalized(each.value.name): each.key for same in self._candidates.values() for each in same}
        known |= {normalized(key): key for key in self.resolutions}
        known |= {name: group.key for name, group in self.groups.items()}
        close = dict.fromkeys(known[match] for match in get_close_matches(normalized(name), known, n=5))
        hint = f"Did you mean {', '.join(close)}? " if close else harness_hint(name)
        choice = self.settings.choices.get(normalized(name))
        chosen = f"{choice.where} chooses {choice.distribution}, which may not be installed. " if choice else ""
        broken = "".join(f"\nNot loaded: {problem}" for problem in self.problems if not problem.loaded)
        group = self.group(name)
        what = f"a group of {group}, not a benchmark" if group else "no benchmark, group or path of this name"
        shows = f"'bench list' shows what is installed{perhaps_left_out()}."
        return f"{name}: {what}. {chosen}{hint}{shows}{broken}"


def discover(group: str, kind: type[T]) -> tuple[list[Provided[T]], list[Problem]]:
    """Load an entry-point group: return its values, and at most one problem per entry point.

    An entry point refers to a value, to a dict of values by key, or to a callable without parameters that returns
    either.
    """

    def read(found: Registered) -> tuple[list[Provided[T]], list[str]]:
        loaded = found.load()
        value = loaded() if callable(loaded) else loaded
        values: list[Provided[T]] = []
        faults = []
        for key, each in list(value.items()) if isinstance(value, dict) else [(found.name, value)]:
            if fault := _fault(key, each, kind):
                faults.append(fault)
            else:
                values.append(Provided(str(key), each, found.distribution, found.version))
        return values, faults

    provided: list[Provided[T]] = []
    problems: list[Problem] = []
    entry_points = registered(group)
    for found, (outcome, error) in zip(entry_points, load_each(entry_points, read), strict=True):
        if error is not None:
            problems.append(load_problem(found, error))
        elif outcome is not None:
            values, faults = outcome
            provided += values
            if faults:
                problems.append(problem(found, "; ".join(faults)))
    return provided, problems


def _fault(key: object, value: object, kind: type) -> str:
    """Return why a value cannot be used under a key; empty if it can."""
    if not isinstance(key, str) or not isinstance(value, kind):
        return f"has {described(value)} for {key!r}, expected a {kind.__name__}"
    if fault := key_fault(key):
        return f"the key {key!r:.60} {fault}"
    if wrong := " and ".join(_wrong_fields(value, kind)):
        return f"the {kind.__name__} of {key!r} has {wrong}"
    return ""


def _wrong_fields(value: object, kind: type, within: str = "") -> Iterator[str]:
    """Yield the fields with a wrong type or text, which dataclasses do not check."""
    for name, default, allowed, plain in _fields(kind):
        held = getattr(value, name)
        # The fast path for most fields: there may be thousands of benchmarks.
        if held is default or (
            type(held) is plain and (plain is not str or (held.isprintable() and len(held) <= MOST_CHARACTERS))
        ):
            continue
        if not _fits(held, allowed):
            yield f"{described(held)} as {within}{name}"
        elif isinstance(held, DatasetSource):
            yield from _wrong_fields(held, DatasetSource, within=f"{name}.")
        else:
            texts = [held] if isinstance(held, str) else held if isinstance(held, Collection) else []
            yield from (f"{fault} in {within}{name}" for fault in map(_text_fault, texts) if fault)


@cache
def _fields(kind: Any) -> Sequence[tuple[str, object, Any, object]]:
    """Return the name, default and type of each field, and the class of its values if that is all to check."""
    plain: dict[Any, type] = {str: str, str | None: str, bool: bool, int | None: int}
    return [(each.name, each.default, each.type, plain.get(each.type)) for each in fields(kind)]


def _fits(value: object, allowed: Any) -> bool:
    origin = get_origin(allowed)
    if origin is Sequence:  # any collection of texts will do, such as a set of tags
        return isinstance(value, Collection) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    if origin is Literal:
        return value in get_args(allowed)
    return isinstance(value, allowed)


def _text_fault(text: str) -> str:
    """Return why a text cannot be shown; empty if it can."""
    if len(text) > MOST_CHARACTERS:
        return f"{len(text):,} characters (at most {MOST_CHARACTERS:,} are allowed)"
    control = "" if text.isprintable() else unprintable(text)
    return f"the control character {control[0]!r}" if control else ""
