"""All benchmarks and groups of an environment, by name."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from openbench.errors import UnknownNameError, UsageError
from openbench.metadata import BenchmarkGroup, BenchmarkMetadata
from openbench.registry.discovery import Provided, discover
from openbench.registry.installed import (
    BENCHMARKS,
    GROUPS,
    PLUGINS_VARIABLE,
    chosen_plugins,
    duplicates,
    perhaps_left_out,
    unknown_plugins,
)
from openbench.registry.names import canonical, normalized
from openbench.registry.problems import Problem
from openbench.registry.resolution import Candidate, Choice, Resolution, not_provided, refusal, resolve
from openbench.registry.settings import Settings, read_settings

Group = Provided[BenchmarkGroup]


class Catalog:
    """Benchmarks and groups, who provides them, and what is wrong with those that cannot be used."""

    def __init__(
        self,
        benchmarks: Iterable[Candidate],
        groups: Iterable[Group] = (),
        problems: Iterable[Problem] = (),
        *,
        settings: Settings | None = None,
        overrides: bool = True,
    ) -> None:
        """Make a catalog of what was discovered.

        Args:
            benchmarks: The benchmarks of all distributions.
            groups: Their groups.
            problems: What could not be used.
            settings: Who provides a name, as the user's project says.
            overrides: As `resolve` has it.
        """
        self.problems = list(problems)
        self.groups: dict[str, Group] = {}
        self.settings = settings or Settings()
        self._overrides = overrides
        self._candidates: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in benchmarks:
            self._add(candidate)
        for group in groups:
            self._add_group(group)

    @classmethod
    def installed(cls, *, overrides: bool = True) -> "Catalog":
        """Read the catalog of this environment, and the settings of the working directory's project.

        Raises:
            UsageError: The settings are malformed.
        """
        settings = read_settings(Path.cwd())
        benchmarks, problems = discover(BENCHMARKS, BenchmarkMetadata)
        groups, group_problems = discover(GROUPS, BenchmarkGroup)
        return cls(
            benchmarks,
            groups,
            [*problems, *group_problems, *_environment_problems()],
            settings=settings,
            overrides=overrides,
        )

    def _add(self, candidate: Candidate) -> None:
        same_name = self._candidates[normalized(candidate.key)]
        twin = next((c for c in same_name if canonical(c.distribution) == canonical(candidate.distribution)), None)
        if twin:
            message = f"registers {twin.key!r} and {candidate.key!r}, which are one name; the first stands"
            remedy = f"Tell the authors of {candidate.distribution}: `-` and `_` are equal in names"
            self.problems.append(Problem(candidate.distribution, candidate.key, message, remedy))
        else:
            same_name.append(candidate)

    def _add_group(self, group: Group) -> None:
        name = normalized(group.key)
        taken = f"the group of {self.groups[name].distribution}" if name in self.groups else ""
        if name in self._candidates:
            taken = f"the benchmark of {self._candidates[name][0].distribution}"
        if taken:
            message = f"the group {group.key!r} is set aside: {taken} has this name"
            remedy = f"Uninstall the one that you do not need, or tell the authors of {group.distribution}"
            self.problems.append(Problem(group.distribution, group.key, message, remedy))
        else:
            self.groups[name] = group

    @cached_property
    def resolutions(self) -> Mapping[str, Resolution]:
        """Every name with who provides it, sorted by name."""
        resolved = [self._resolve(name) for name in self._candidates]
        return {resolution.key: resolution for resolution in sorted(resolved, key=lambda r: r.key)}

    def _resolve(self, name: str) -> Resolution:
        return resolve(self._candidates[name], self.settings.choices.get(name), overrides=self._overrides)

    def candidates(self, name: str) -> Sequence[Candidate]:
        """Return who provides a benchmark of a name; empty if no one does."""
        return self._candidates.get(normalized(name), [])

    def find(self, reference: str) -> Resolution:
        """Resolve `name` or `name@distribution` to the one that provides it.

        Raises:
            UnknownNameError: There is no such benchmark, or that distribution does not provide it.
            UsageError: Several do and nothing decides between them.
        """
        resolution = self.explain(reference)
        if resolution.winner is None:
            settled = f"'bench use {resolution.key} {resolution.candidates[0].distribution}' settles it for a project"
            raise UsageError(refusal(resolution, settled))
        return resolution

    def explain(self, reference: str) -> Resolution:
        """Resolve `name` or `name@distribution`, to a conflict perhaps.

        Raises:
            UnknownNameError: There is no such benchmark, or that distribution does not provide it.
        """
        name, at, distribution = reference.partition("@")
        candidates = self.candidates(name)
        if not candidates:
            raise UnknownNameError(self._unknown(reference))
        if not at:
            return self._resolve(normalized(name))
        resolution = resolve(candidates, Choice(distribution, reference))
        if resolution.winner is None:
            raise UnknownNameError(not_provided(name, distribution, candidates))
        return resolution

    def missing(self, group: Group) -> list[str]:
        """Return the members of a group that no distribution provides."""
        return [member for member in group.value.benchmarks if not self._provides(member)]

    def _provides(self, reference: str) -> bool:
        try:
            self.explain(reference)
        except UnknownNameError:
            return False
        return True

    def not_loaded(self, name: str) -> list[Problem]:
        """Return the problems of entry points of a name, which may have provided it."""
        wanted = normalized(name)
        return [each for each in self.problems if not each.loaded and normalized(each.entry_point) == wanted]

    def group(self, name: str) -> Group | None:
        """Return the group of a name, if there is one."""
        return self.groups.get(normalized(name))

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches  # noqa: PLC0415 - only an unknown name pays for it

        known = {normalized(key): key for key in self.resolutions} | {
            key: group.key for key, group in self.groups.items()
        }
        close = [known[match] for match in get_close_matches(normalized(name), known, n=5, cutoff=0.6)]
        hint = f"Did you mean {', '.join(close)}? " if close else ""
        choice = self.settings.choices.get(normalized(name))
        said = f"{choice.where} says that {choice.distribution} provides it: is that installed? " if choice else ""
        broken = "".join(f"\nNot loaded: {problem}" for problem in self.problems if not problem.loaded)
        group = self.group(name)
        what = f"a group of {group}, not a benchmark" if group else "no benchmark, group or path of this name"
        shows = f"'bench list' shows what is installed{perhaps_left_out()}."
        return f"{name}: {what}. {said}{hint}{shows}{broken}"


def _environment_problems() -> list[Problem]:
    """Return what is wrong with the environment itself, whatever its plugins do."""
    unknown = ", ".join(unknown_plugins())
    limited = [
        Problem(
            PLUGINS_VARIABLE,
            unknown,
            "neither a distribution nor an entry point has this name",
            f"Correct or unset {PLUGINS_VARIABLE}",
        )
    ]
    twice = [
        Problem(
            name,
            "dist-info",
            f"is installed twice in one folder, as {' and '.join(versions)}; {versions[0]} is used",
            f"Reinstall it: pip install --force-reinstall {name}",
            loaded=True,
        )
        for name, versions in duplicates().items()
        if chosen_plugins() is None or canonical(name) in (chosen_plugins() or ())
    ]
    return [*(limited if unknown else []), *twice]
