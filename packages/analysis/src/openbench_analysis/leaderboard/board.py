"""Ranks models by the weighted means of their results."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, nan
from string import ascii_lowercase

from openbench.errors import LogError, UsageError
from openbench.run.paths import display_path
from openbench_analysis.alignment import refusals
from openbench_analysis.comparison import Method, infer, pair
from openbench_analysis.inference import NOT_TESTED, Inference
from openbench_analysis.leaderboard.config import Benchmark, Category, Leaderboard, leaves
from openbench_analysis.results.places import Entry
from openbench_analysis.results.schema import Result
from openbench_analysis.runs import Run
from openbench_analysis.statistics import (
    Estimate,
    Interval,
    holm,
    macro_average,
    t_interval,
    t_test,
    tie_groups,
)
from openbench_analysis.toml_settings import did_you_mean

Found = Mapping[str, Mapping[str, Entry]]
"""The results by path of the benchmark in the leaderboard, and by model."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Figure:
    """One figure of a model, on the scale from 0 to 1.

    Attributes:
        value: The figure; None if a benchmark is missing.
        standard_error: Its standard error; None if one of a benchmark is unknown.
        interval: Its interval; None where the standard error is unknown, or that of a single sample.
        missing: The paths of the benchmarks without a result.
    """

    value: float | None
    standard_error: float | None = None
    interval: Interval | None = None
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """A model in one table.

    Attributes:
        model: The model.
        rank: Its rank, from 1; None if it is incomplete. Equal figures share a rank.
        average: The mean of the members.
        members: The figure of each member, by key.
        ties: The letters of the groups of models that it does not differ from significantly; empty without samples.
    """

    model: str
    rank: int | None
    average: Figure
    members: Mapping[str, Figure]
    ties: str = ""


@dataclass(frozen=True)
class Standing:
    """The table of one category.

    Attributes:
        path: The path of the category; empty for the whole leaderboard.
        category: The category.
        rows: The models: the complete ones from the best, then the incomplete ones by name.
    """

    path: str
    category: Category
    rows: Sequence[Row]


@dataclass(frozen=True)
class Board:
    """A leaderboard with its results.

    Attributes:
        config: Its categories.
        standings: The table of the whole, then that of each category.
        found: The results that it was made from, by path of the benchmark and by model.
        notes: What to know of the figures.
    """

    config: Leaderboard
    standings: Sequence[Standing]
    found: Found
    notes: Sequence[str]


def make_board(config: Leaderboard, entries: Sequence[Entry]) -> Board:
    """Rank the models of some results.

    Args:
        config: The leaderboard.
        entries: The results.

    Raises:
        UsageError: Results of one benchmark cannot be compared, one lacks the metric, or it is beyond its scale.
        LogError: No result is of a benchmark of the leaderboard.
    """
    notes: list[str] = []
    paths = {path: benchmark for path, benchmark, _ in leaves(config)}
    found = {path: _chosen(path, benchmark, entries, notes) for path, benchmark in paths.items()}
    models = sorted({model for of in found.values() for model in of})
    if not models:
        known = ", ".join(sorted({entry.result.benchmark for entry in entries}))
        raise LogError(f"no result is of a benchmark of the leaderboard. Results: {known}.")
    notes += _absent(paths, found, entries)
    figures = {
        (path, model): _leaf(benchmark, found[path].get(model)) for path, benchmark in paths.items() for model in models
    }
    standings = [_standing(path, category, models, figures, found, config.level) for path, category in _tables(config)]
    return Board(config, standings, found, list(dict.fromkeys(notes)))


def _tables(category: Category, path: str = "") -> Iterator[tuple[str, Category]]:
    """Yield the whole leaderboard, and each category below it."""
    yield path, category
    for key, below in category.categories.items():
        yield from _tables(below, f"{path}/{key}".lstrip("/"))


def _chosen(path: str, benchmark: Benchmark, entries: Sequence[Entry], notes: list[str]) -> Mapping[str, Entry]:
    """Return the result of each model that counts for a benchmark: the newest one."""
    fitting = [entry for entry in entries if _fits(benchmark, entry.result)]
    _check_comparable(path, fitting)
    by_model: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in fitting:
        by_model[entry.result.model].append(entry)
    chosen = {}
    for model, own in by_model.items():
        _check_arguments(path, model, own)
        *older, newest = sorted(own, key=_age)
        chosen[model] = newest
        notes += [
            f"{display_path(each.location)} is left out: {display_path(newest.location)} is newer."
            for each in older
            if each.result.run != newest.result.run
        ]
    notes += _differences(path, [entry.result for entry in chosen.values()])
    return chosen


def _fits(benchmark: Benchmark, result: Result) -> bool:
    if result.benchmark != benchmark.name or any(
        result.settings.arguments.get(name) != value for name, value in benchmark.args.items()
    ):
        return False
    wanted = benchmark.version.split(".") if benchmark.version else []
    return (result.version or "").split(".")[: len(wanted)] == wanted


def _age(entry: Entry) -> tuple[Sequence[int], str, bool]:
    """Return what orders results of a model from the oldest to the newest; the log of a run counts above its file."""
    release = [int(part) if part.isdecimal() else 0 for part in (entry.result.version or "").split(".")]
    return release, entry.result.date, entry.run is not None


def _check_comparable(path: str, entries: Sequence[Entry]) -> None:
    """Refuse results of one column whose scores do not mean the same."""
    for what, of in (("distribution", _provider), ("major version", _major), ("metric's direction", _direction)):
        first: dict[str, Entry] = {}
        for entry in entries:
            first.setdefault(of(entry.result), entry)
        if len(first) > 1:
            shown = "; ".join(f"{value} of {entry.location}" for value, entry in first.items())
            raise UsageError(
                f"{path}: its results cannot be compared, since they differ in the {what}: {shown}. Leave some out"
                + (', or choose one in the TOML file: version = "…".' if what == "major version" else ".")
            )


def _provider(result: Result) -> str:
    return result.source.distribution or "none"


def _major(result: Result) -> str:
    return result.major or "none"


def _direction(result: Result) -> str:
    return "higher is better" if result.score.higher_is_better else "lower is better"


def _check_arguments(path: str, model: str, entries: Sequence[Entry]) -> None:
    given = {str(dict(entry.result.settings.arguments)): entry.location for entry in entries}
    if len(given) > 1:
        shown = "; ".join(f"{arguments} in {location}" for arguments, location in given.items())
        raise UsageError(
            f"{path}: {model} has results with different arguments: {shown}. Choose in the TOML file: args = {{…}}."
        )


def _differences(path: str, results: Sequence[Result]) -> Iterator[str]:
    """Yield what differs between the results of a benchmark without making them incomparable."""
    if len(versions := sorted({result.version for result in results if result.version})) > 1:
        yield f"{path}: the results have versions {', '.join(versions)}."
    for what, values in (
        ("rows", {str(result.source.dataset.get("sha256")) for result in results}),
        ("prompts", {str(result.source.prompt) for result in results}),
        ("arguments", {str(dict(result.settings.arguments)) for result in results}),
        ("numbers of epochs", {str(result.samples.epochs) for result in results}),
        ("graders", {str(dict(result.settings.roles)) for result in results}),
    ):
        if len(values) > 1:
            yield f"{path}: the results have different {what}."
    for what, models in (
        ("not all samples, with --limit", [_counted(each) for each in results if each.settings.limit is not None]),
        ("sample rows of the benchmark's package", [each.model for each in results if each.source.sample_rows]),
        (
            "samples without a score",
            [_unscored(each) for each in results if each.samples.samples > each.samples.scored],
        ),
    ):
        if models:
            yield f"{path}: {what}: {', '.join(models)}."


def _counted(result: Result) -> str:
    return f"{result.model} {result.samples.samples}"


def _unscored(result: Result) -> str:
    return f"{result.model} {result.samples.samples - result.samples.scored} of {result.samples.samples}"


def _absent(paths: Mapping[str, Benchmark], found: Found, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which benchmarks have no result or no version, and which results have no place."""
    names = {benchmark.name for benchmark in paths.values()}
    others = sorted({entry.result.benchmark for entry in entries} - names)
    if unknown := [path for path, of in found.items() if any(not each.result.version for each in of.values())]:
        yield f"Some results do not say the benchmark's version, which cannot be checked: {', '.join(unknown)}."
    for path, benchmark in paths.items():
        if not found[path]:
            yield f"{path}: no model has a result{did_you_mean(benchmark.name, others)}."
    if others:
        yield f"Not on the leaderboard: {', '.join(others)}."


def _leaf(benchmark: Benchmark, entry: Entry | None) -> Estimate | None:
    """Return a result on the scale from 0 to 1; its standard error is NaN if it is unknown."""
    if entry is None:
        return None
    result, where = entry.result, f"{benchmark.name} in {entry.location}"
    metric = result.metric(benchmark.metric or result.score.metric)
    if metric is None:
        others = (f"{scorer}/{name}" for scorer, of in result.metrics.items() for name in of)
        known = ", ".join([result.score.metric, *others])
        raise UsageError(f"{where}: no single metric is named {benchmark.metric!r}. Metrics: {known}.")
    headline = benchmark.metric in {None, result.score.metric}
    if headline and not result.score.higher_is_better and not benchmark.invert:
        raise UsageError(
            f"{where}: lower is better in {result.score.metric}: set invert = true in the TOML file, so that "
            "1 is best in every column."
        )
    value, error = metric
    scaled = benchmark.scaled(value)
    if not -_ROUNDING <= scaled <= 1 + _ROUNDING:
        raise UsageError(
            f"{where}: its {benchmark.metric or result.score.metric} of {value:g} is beyond the scale from "
            f"{benchmark.scale[0]:g} to {benchmark.scale[1]:g}. Set scale = [lowest, highest] in the TOML file."
        )
    degrees = result.score.degrees if headline and result.score.degrees else result.samples.scored - 1
    known_error = nan if error is None else error * abs(benchmark.factor)
    return Estimate(scaled, known_error, degrees)


def _standing(
    path: str,
    category: Category,
    models: Sequence[str],
    figures: Mapping[tuple[str, str], Estimate | None],
    found: Found,
    level: float,
) -> Standing:
    own = {model: _figure(path, category, model, figures, found, level) for model in models}
    members = {
        model: {
            key: _figure(f"{path}/{key}".lstrip("/"), member, model, figures, found, level)
            for key, member in category.members.items()
        }
        for model in models
    }
    values = {model: figure.value for model, figure in own.items() if figure.value is not None}
    letters = _letters(path, category, values, found, level)
    rows = [
        Row(
            model,
            1 + sum(other > values[model] for other in values.values()) if model in values else None,
            own[model],
            members[model],
            letters.get(model, ""),
        )
        for model in sorted(models, key=lambda model: (-values.get(model, -1.0), model))
    ]
    return Standing(path, category, rows)


def _below(path: str, member: Category | Benchmark) -> Mapping[str, tuple[Benchmark, float]]:
    """Return the benchmarks of a member by their paths in the leaderboard, each with its share of the mean."""
    if isinstance(member, Benchmark):
        return {path: (member, 1.0)}
    return {f"{path}/{below}".lstrip("/"): (benchmark, share) for below, benchmark, share in leaves(member)}


def _figure(
    path: str,
    member: Category | Benchmark,
    model: str,
    figures: Mapping[tuple[str, str], Estimate | None],
    found: Found,
    level: float,
) -> Figure:
    below = _below(path, member)
    average = macro_average(
        {name: figures[name, model] for name in below}, {name: share for name, (_, share) in below.items()}
    )
    if (estimate := average.estimate) is None:
        return Figure(None, missing=average.missing)
    error = estimate.standard_error if isfinite(estimate.standard_error) else None
    if len(below) == 1:
        [(name, (benchmark, _))] = below.items()
        return Figure(estimate.value, error, _own_interval(benchmark, found[name][model].result, estimate, level))
    return Figure(estimate.value, error, _interval(estimate, level))


def _own_interval(benchmark: Benchmark, result: Result, estimate: Estimate, level: float) -> Interval | None:
    """Return the interval of a single result: its own if possible, else that of its standard error."""
    own = result.score.interval
    if own is None or own.level != level or own.low is None or own.high is None or benchmark.metric:
        return _interval(estimate, level)
    low, high = sorted((benchmark.scaled(own.low), benchmark.scaled(own.high)))
    return Interval(estimate.value, low, high, level, own.method)


def _interval(estimate: Estimate, level: float) -> Interval | None:
    """Return Student's interval within the scale; None if the standard error is unknown, or of a single sample."""
    if not (isfinite(estimate.standard_error) and estimate.degrees > 0):
        return None
    wide = t_interval(estimate, level)
    return replace(wide, low=max(wide.low, 0.0), high=min(wide.high, 1.0))


def _letters(
    path: str, category: Category, values: Mapping[str, float], found: Found, level: float
) -> Mapping[str, str]:
    """Return the letters of the groups that each model is in; empty where a pair cannot be compared by samples."""
    below = _below(path, category)
    p_values: dict[tuple[str, str], float] = {}
    for both in combinations(values, 2):
        parts = {
            name: _compared(benchmark, *(found[name][model].run for model in both))
            for name, (benchmark, _) in below.items()
        }
        known = {name: part for name, part in parts.items() if part}
        if len(known) < len(parts):
            return {}
        p_values[both] = _p_value(known, below)
    adjusted = holm(list(p_values.values()))
    different = [both for both, p_value in zip(p_values, adjusted, strict=True) if p_value <= 1 - level]
    groups = tie_groups(values, different) if len(values) > 1 else []
    return {model: "".join(_letter(at) for at, group in enumerate(groups) if model in group) for model in values}


def _p_value(parts: Mapping[str, Inference], below: Mapping[str, tuple[Benchmark, float]]) -> float:
    """Test whether two models have the same mean: of one benchmark by its own test, else by Student's t."""
    if len(parts) == 1:
        return next(iter(parts.values())).test.p_value
    average = macro_average(
        {name: _scaled(below[name][0], part.estimate) for name, part in parts.items()},
        {name: share for name, (_, share) in below.items()},
    )
    return t_test(average.estimate).p_value if average.estimate else 1.0


def _scaled(benchmark: Benchmark, difference: Estimate) -> Estimate:
    factor = benchmark.factor
    return Estimate(difference.value * factor, difference.standard_error * abs(factor), difference.degrees)


def _letter(number: int) -> str:
    return ascii_lowercase[number] if number < len(ascii_lowercase) else f"({number + 1})"


def _compared(benchmark: Benchmark, before: Run | None, after: Run | None) -> Inference | None:
    """Return the difference of two runs by their samples; None if it cannot be tested."""
    if before is None or after is None or any(refusals(before, after)):
        return None
    if benchmark.metric and before.headline and benchmark.metric != before.headline.name:
        return None
    method = Method()
    try:
        found = infer((before, after), pair(benchmark.name, before, after, method), method)
    except LogError:
        return None
    return found if found.test.method != NOT_TESTED else None
