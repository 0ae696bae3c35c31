"""The TOML file of a leaderboard: its categories, their benchmarks and the weights."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from math import fsum, isclose, isfinite
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from openbench_analysis.toml_settings import SettingsTable, read_settings

_CLOSE = 1e-6


class Member(SettingsTable):
    """A member of a category, with its weight."""

    title: str = ""
    weight: Annotated[float, Field(gt=0, le=1)] | None = None


class Benchmark(Member):
    """A benchmark of a category.

    Attributes:
        title: What tables call it; its name by default.
        weight: Its weight in the category; equal ones if no member has any.
        name: The benchmark's key.
        metric: The metric; the headline by default.
        scale: The values that become 0 and 1.
        invert: Whether lower is better, so that the lowest value becomes 1.
        version: The version of the results that count, such as `2` or `2.1`; any by default.
        args: Arguments of the task that the results that count were run with.
    """

    name: str
    metric: str | None = None
    scale: tuple[float, float] = (0.0, 1.0)
    invert: bool = False
    version: str | None = None
    args: Mapping[str, Any] = {}

    @field_validator("scale")
    @classmethod
    def _ascending(cls, scale: tuple[float, float]) -> tuple[float, float]:
        if not (all(map(isfinite, scale)) and scale[0] < scale[1]):
            raise ValueError(f"expected two numbers, the lower first; received {list(scale)}")
        return scale

    @property
    def shown(self) -> str:
        """Its name in tables."""
        return self.title or self.name

    @property
    def identity(self) -> tuple[str, str | None, str | None, str]:
        """The settings that distinguish it from benchmarks of the same name."""
        return self.name, self.metric, self.version, str(sorted(self.args.items()))

    def scaled(self, value: float) -> float:
        """Return a value of the metric on the scale from 0 to 1, where higher is better."""
        low, high = self.scale
        part = (value - low) / (high - low)
        return 1 - part if self.invert else part

    @property
    def factor(self) -> float:
        """How much the scaled value changes when the metric changes by one."""
        low, high = self.scale
        return (-1 if self.invert else 1) / (high - low)


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class Category(Member):
    """A weighted mean of benchmarks and further categories.

    Attributes:
        title: What tables call it; its key by default.
        weight: Its weight in the category above.
        categories: The categories in it, by key.
        benchmarks: The benchmarks in it: names, or tables.
    """

    categories: Mapping[str, "Category"] = {}
    benchmarks: Sequence[Annotated[Benchmark, BeforeValidator(_named)]] = ()

    @property
    def members(self) -> Mapping[str, "Category | Benchmark"]:
        """Its categories, then its benchmarks, by key; several of one benchmark are numbered."""
        names = [each.name for each in self.benchmarks]
        keys = [
            name if names.count(name) == 1 else f"{name}#{names[: at + 1].count(name)}" for at, name in enumerate(names)
        ]
        return {**self.categories, **dict(zip(keys, self.benchmarks, strict=True))}

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each member, by key."""
        members = self.members
        return {key: each.weight or 1 / len(members) for key, each in members.items()}

    @model_validator(mode="after")
    def _complete(self) -> "Category":
        members = self.members
        if not members:
            raise ValueError("it has neither benchmarks nor categories")
        if len(members) < len(self.categories) + len(self.benchmarks):
            raise ValueError("a category and a benchmark have the same name")
        weights = {key: each.weight for key, each in members.items()}
        given = [weight for weight in weights.values() if weight is not None]
        if given and len(given) < len(weights):
            lacking = ", ".join(key for key, weight in weights.items() if weight is None)
            raise ValueError(f"no weight: {lacking}. Give all members one, or none for equal weights")
        if given and not isclose(total := fsum(given), 1, abs_tol=_CLOSE):
            raise ValueError(f"the weights of {', '.join(weights)} add up to {total:g}; they must add up to 1")
        return self


class Leaderboard(Category):
    """A leaderboard.

    Attributes:
        level: The confidence level of intervals.
    """

    level: Annotated[float, Field(gt=0, lt=1)] = 0.95

    @model_validator(mode="after")
    def _unique(self) -> "Leaderboard":
        seen: dict[Any, str] = {}
        for path, benchmark, _ in leaves(self):
            if (first := seen.setdefault(benchmark.identity, path)) != path:
                raise ValueError(f"{benchmark.name} counts twice: {first} and {path}")
        return self


def leaves(category: Category, path: str = "", weight: float = 1.0) -> Iterator[tuple[str, Benchmark, float]]:
    """Yield each benchmark of a category, with its path below it and its share of the category's mean."""
    weights = category.weights
    for key, member in category.members.items():
        below, share = f"{path}/{key}".lstrip("/"), weight * weights[key]
        if isinstance(member, Category):
            yield from leaves(member, below, share)
        else:
            yield below, member, share


LEADERBOARDS = "openbench.leaderboards"
"""The entry-point group of leaderboards that packages bring: the paths of their TOML files, by name."""


def read_leaderboard(path: Path) -> Leaderboard:
    """Read the TOML file of a leaderboard, or, if no such file exists, the one that a package provides under this name.

    Raises:
        UsageError: It cannot be read; a key is unknown or a value does not fit; weights are not positive, do not add up
            to 1 or are missing in part; a category is empty; or a benchmark counts twice.
    """
    if not path.exists():
        brought = {each.name: each for each in entry_points(group=LEADERBOARDS)}
        if each := brought.get(str(path)):
            path = Path(each.load())
    return read_settings(path, Leaderboard)
