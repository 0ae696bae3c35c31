"""Decides which distribution provides a name, and can say why."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from openbench.discovery import BENCHMARKS, GROUPS, Problem, Provided, discover
from openbench.errors import UsageError
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata

Candidate = Provided[BenchmarkMetadata]


def normalized(name: str) -> str:
    """Return the form in which names of benchmarks compare: `-` and `_` are equal."""
    return name.replace("-", "_").lower()


def canonical(distribution: str) -> str:
    """Return the form in which names of distributions compare (https://peps.python.org/pep-0503/)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


@dataclass(frozen=True)
class Resolution:
    """Who provides a name, by which rule, and who else could have.

    Attributes:
        key: The name, as the winner or the first candidate writes it.
        candidates: Every distribution's benchmark of that name.
        winner: The one that is used; None for a conflict.
        rule: What decided: `chosen`, `overrides`, `builtin`, `only` or `conflict`.
    """

    key: str
    candidates: Sequence[Candidate]
    winner: Candidate | None
    rule: str

    @property
    def overridden(self) -> Sequence[Candidate]:
        """The candidates that the winner takes the place of."""
        return [candidate for candidate in self.candidates if self.winner and candidate is not self.winner]


def resolve(candidates: Sequence[Candidate]) -> Resolution:
    """Apply the rules, highest first: a declared override, then any provider over a built-in one.

    Distributions that override each other in a circle are a conflict, whoever else is there.
    """
    first = candidates[0]
    if len(candidates) == 1:
        return Resolution(first.key, candidates, first, "only")
    pairs = [(canonical(c.distribution), canonical(c.value.overrides)) for c in candidates if c.value.overrides]
    overridden = {other for distribution, other in pairs if other != distribution}
    left = [c for c in candidates if canonical(c.distribution) not in overridden]
    if len(left) == 1 and left[0].value.overrides:
        return Resolution(left[0].key, candidates, left[0], "overrides")
    others = [c for c in left if not c.value.builtin]
    if len(left) > 1 and len(others) == 1:
        return Resolution(others[0].key, candidates, others[0], "builtin")
    return Resolution(first.key, candidates, None, "conflict")


class Catalog:
    """All benchmarks and groups that are installed, by name."""

    def __init__(
        self,
        benchmarks: Iterable[Candidate],
        groups: Iterable[Provided[BenchmarkGroup]] = (),
        problems: Iterable[Problem] = (),
    ) -> None:
        """Make a catalog of what was discovered."""
        self.problems = list(problems)
        self.groups: dict[str, Provided[BenchmarkGroup]] = {}
        self._candidates: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in benchmarks:
            self._add(candidate)
        for group in groups:
            self._add_group(group)

    @classmethod
    def installed(cls) -> "Catalog":
        """Read the catalog of this environment."""
        benchmarks, problems = discover(BENCHMARKS, BenchmarkMetadata)
        groups, group_problems = discover(GROUPS, BenchmarkGroup)
        return cls(benchmarks, groups, [*problems, *group_problems])

    def _add(self, candidate: Candidate) -> None:
        same_name = self._candidates[normalized(candidate.key)]
        if any(canonical(other.distribution) == canonical(candidate.distribution) for other in same_name):
            message = f"the key {candidate.key!r} is registered twice; the first stands"
            self.problems.append(Problem(candidate.distribution, candidate.key, message))
        else:
            same_name.append(candidate)

    def _add_group(self, group: Provided[BenchmarkGroup]) -> None:
        name = normalized(group.key)
        taken = f"the group of {self.groups[name].distribution}" if name in self.groups else ""
        if name in self._candidates:
            taken = f"the benchmark of {self._candidates[name][0].distribution}"
        if taken:
            message = f"the group {group.key!r} is set aside: {taken} has this name"
            self.problems.append(Problem(group.distribution, group.key, message))
        else:
            self.groups[name] = group

    @cached_property
    def resolutions(self) -> Mapping[str, Resolution]:
        """Every name with who provides it, sorted by name."""
        resolved = map(resolve, self._candidates.values())
        return {resolution.key: resolution for resolution in sorted(resolved, key=lambda r: r.key)}

    @property
    def distributions(self) -> Mapping[str, str]:
        """The distributions that provide benchmarks, with their versions, sorted by name."""
        found = {c.distribution: c.version for same_name in self._candidates.values() for c in same_name}
        return dict(sorted(found.items()))

    def find(self, reference: str) -> Resolution:
        """Resolve `name` or `name@distribution`.

        Raises:
            UsageError: There is no such benchmark, that distribution does not provide it, or several
                distributions do and nothing decides between them.
        """
        name, _, distribution = reference.partition("@")
        candidates = self._candidates.get(normalized(name))
        if not candidates:
            raise UsageError(self._unknown(reference))
        if distribution:
            return _chosen(name, distribution, candidates)
        resolution = resolve(candidates)
        if resolution.winner is None:
            names = ", ".join(f"{c.distribution} {c.version}" for c in candidates)
            choices = " or ".join(f"{resolution.key}@{c.distribution}" for c in candidates)
            raise UsageError(
                f"{resolution.key}: several distributions provide this name: {names}. "
                f"Say which one you mean: {choices}."
            )
        return resolution

    def expand(self, names: Iterable[str]) -> list[str]:
        """Replace the names of groups by their members, each benchmark once, in order.

        Raises:
            UsageError: A group is empty, or has a member that is not installed.
        """
        members: dict[str, None] = {}
        for name in names:
            group = self.groups.get(normalized(name))
            members.update(dict.fromkeys(self._members(group) if group else [name]))
        return list(members)

    def _members(self, group: Provided[BenchmarkGroup]) -> Sequence[str]:
        members = group.value.benchmarks
        missing = [member for member in members if normalized(member.partition("@")[0]) not in self._candidates]
        if missing or not members:
            what = f"has members that are not installed: {', '.join(missing)}" if missing else "has no members"
            raise UsageError(f"{group.key}: this group of {group.distribution} {group.version} {what}.")
        return members

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only an unknown name pays for it

        known = {normalized(key): key for key in self.resolutions} | {
            key: group.key for key, group in self.groups.items()
        }
        close = [known[match] for match in get_close_matches(normalized(name), known, n=5, cutoff=0.6)]
        hint = f"Did you mean {', '.join(close)}? " if close else ""
        broken = "".join(f"\nNot loaded: {problem}" for problem in self.problems)
        return f"{name}: no benchmark, group or path of this name. {hint}'bench list' shows what is installed.{broken}"


def _chosen(name: str, distribution: str, candidates: Sequence[Candidate]) -> Resolution:
    for candidate in candidates:
        if canonical(candidate.distribution) == canonical(distribution):
            return Resolution(candidate.key, candidates, candidate, "chosen")
    names = ", ".join(c.distribution for c in candidates)
    raise UsageError(f"{name}: the distribution {distribution} does not provide it. Provided by: {names}.")
