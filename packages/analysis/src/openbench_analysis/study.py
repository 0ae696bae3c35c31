"""Compares systems on all their benchmarks: with a baseline, with each other, and over suites."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, isfinite
from typing import Literal

from openbench.errors import LogError, UnknownNameError
from openbench_analysis.alignment import refusals
from openbench_analysis.comparison import Comparison, Method, Verdict, compare_runs, infer, pair, verdict_of
from openbench_analysis.figures import RunFigures, figures_of
from openbench_analysis.inference import NOT_TESTED
from openbench_analysis.statistics import (
    Estimate,
    Interval,
    Significance,
    benjamini_hochberg,
    holm,
    macro_average,
    t_interval,
    t_test,
    tie_groups,
)
from openbench_analysis.statistics.results import FloatArray
from openbench_analysis.systems import System

Adjustment = Literal["holm", "bh", "none"]
Pair = tuple[str, str]
"""The labels of two systems."""

ALL = "all benchmarks"
"""The suite of all benchmarks that were compared."""


@dataclass(frozen=True)
class Average:
    """The weighted mean of a suite's benchmarks: of one system's scores, or of differences from the baseline.

    Attributes:
        suite: The suite's name.
        label: The system.
        interval: The interval of the mean; None if a benchmark is missing.
        estimate: The mean with its standard error.
        test: The test of no difference; None for scores.
        p_value: Its p-value, adjusted for the number of systems and suites.
        missing: The benchmarks without a figure.
        higher_is_better: The direction of its benchmarks' metrics.
    """

    suite: str
    label: str
    interval: Interval | None
    estimate: Estimate | None
    test: Significance | None
    p_value: float | None
    missing: Sequence[str]
    higher_is_better: bool = True

    def verdict(self, level: float) -> Verdict:
        """Return whether the system is better than the baseline, at a confidence level."""
        if self.p_value is None or self.interval is None:
            return "no difference shown"
        return verdict_of(self.interval.estimate, self.p_value, level, higher_is_better=self.higher_is_better)


@dataclass(frozen=True)
class Matrix:
    """All pairs of systems on one benchmark, or over one suite.

    Attributes:
        name: The benchmark or suite.
        scores: The score of each system by label, the best first.
        estimates: The difference of each pair, second less first, with its standard error.
        p_values: The p-value of each pair, adjusted by Holm's method over the pairs.
        ties: The largest groups of systems in which no two differ.
        level: The confidence level.
    """

    name: str
    scores: Mapping[str, float]
    estimates: Mapping[Pair, Estimate]
    p_values: Mapping[Pair, float]
    ties: Sequence[tuple[str, ...]]
    level: float

    def differs(self, pair: Pair) -> bool:
        """Return whether two systems differ."""
        return self.p_values[pair] <= 1 - self.level


@dataclass(frozen=True, kw_only=True)
class Study:
    """Systems, compared.

    Attributes:
        systems: The systems, the baseline first.
        benchmarks: The benchmarks, in the order of first appearance.
        method: How runs are compared.
        adjustment: How p-values are adjusted for the number of comparisons.
        figures: The figures of each run by system and benchmark.
        comparisons: Each other system's runs, compared with the baseline's.
        scores: The average of each system over each suite.
        differences: The average of each other system's differences over each suite.
        matrices: All pairs, for each benchmark and suite; empty unless asked for.
        problems: What could not be compared, a message each.
    """

    systems: Sequence[System]
    benchmarks: Sequence[str]
    method: Method
    adjustment: Adjustment
    figures: Mapping[tuple[str, str], RunFigures] = field(repr=False)
    comparisons: Sequence[Comparison]
    scores: Sequence[Average]
    differences: Sequence[Average]
    matrices: Sequence[Matrix]
    problems: Sequence[str]

    @property
    def baseline(self) -> System:
        """The system that the others are compared with."""
        return self.systems[0]


def study(
    systems: Sequence[System],
    *,
    baseline: str | None = None,
    suites: Mapping[str, Sequence[str]] | None = None,
    pairwise: bool = False,
    adjustment: Adjustment = "holm",
    method: Method | None = None,
) -> Study:
    """Compare systems on all their benchmarks.

    Args:
        systems: The systems.
        baseline: The label of the one that the others are compared with; the first by default.
        suites: The benchmarks of each suite; all benchmarks together by default, if there are several.
        pairwise: Whether all pairs are compared as well.
        adjustment: How p-values are adjusted over the comparisons with the baseline: by Holm's method, by Benjamini and
            Hochberg's (`bh`), or not.
        method: How runs are compared.

    Raises:
        UnknownNameError: No system has the label of the baseline.
    """
    method = method or Method()
    systems = _baseline_first(systems, baseline)
    benchmarks = list(dict.fromkeys(name for system in systems for name in system.runs))
    suites = suites if suites is not None else {ALL: benchmarks} if len(benchmarks) > 1 else {}
    figures = {
        (system.label, name): figures_of(run, level=method.level, cluster=method.cluster)
        for system in systems
        for name, run in system.runs.items()
    }
    problems: list[str] = []
    comparisons = _adjusted(list(_comparisons(systems, method, problems)), adjustment)
    mixed = [name for name, members in suites.items() if len({*_directions(systems, members)}) > 1]
    problems += [f"{name}: no mean, since higher is better for some of its benchmarks only." for name in mixed]
    suites = {name: members for name, members in suites.items() if name not in mixed}
    directions = {name: all(_directions(systems, members)) for name, members in suites.items()}
    return Study(
        systems=systems,
        benchmarks=benchmarks,
        method=method,
        adjustment=adjustment,
        figures=figures,
        comparisons=comparisons,
        scores=[
            _average(suite, system.label, _scores(system, members, figures), method.level, directions[suite])
            for suite, members in suites.items()
            for system in systems
        ],
        differences=_differences(systems[1:], suites, comparisons, method.level, directions),
        matrices=list(_matrices(systems, benchmarks, suites, figures, method)) if pairwise else [],
        problems=problems,
    )


def _baseline_first(systems: Sequence[System], baseline: str | None) -> list[System]:
    first = next((system for system in systems if system.label == baseline), None) if baseline else systems[0]
    if first is None:
        known = ", ".join(system.label for system in systems)
        raise UnknownNameError(f"--baseline {baseline!r}: no system has this label. Systems: {known}.")
    return [first, *(system for system in systems if system is not first)]


def _comparisons(systems: Sequence[System], method: Method, problems: list[str]) -> Iterator[Comparison]:
    """Yield the comparison of each other system with the first on each benchmark, and collect what prevents others."""
    first, *others = systems
    for other in others:
        for name in dict.fromkeys([*first.runs, *other.runs]):
            if name not in first.runs or name not in other.runs:
                lacking, having = (first, other) if name not in first.runs else (other, first)
                problems.append(f"{name}: {having.label} has a run, but {lacking.label} does not.")
                continue
            try:
                yield compare_runs(name, (first.label, first.runs[name]), (other.label, other.runs[name]), method)
            except LogError as error:
                problems.append(str(error))


def _adjusted(comparisons: Sequence[Comparison], adjustment: Adjustment) -> list[Comparison]:
    p_values = iter(_ADJUSTMENTS[adjustment]([each.test.p_value for each in comparisons if each.tested]))
    return [each.adjusted(float(next(p_values))) if each.tested else each for each in comparisons]


_ADJUSTMENTS: Mapping[Adjustment, Callable[[Sequence[float]], FloatArray | Sequence[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": lambda p_values: p_values,
}


def _directions(systems: Sequence[System], members: Sequence[str]) -> Iterator[bool]:
    for system in systems:
        for name in members:
            if name in system.runs:
                yield system.runs[name].higher_is_better


def _scores(
    system: System, members: Sequence[str], figures: Mapping[tuple[str, str], RunFigures]
) -> Mapping[str, Estimate | None]:
    found = {name: figures.get((system.label, name)) for name in members}
    return {name: _estimate(figure) if figure else None for name, figure in found.items()}


def _estimate(figure: RunFigures) -> Estimate | None:
    """Return a score with its standard error, which is unknown for a metric that is not a mean."""
    if figure.estimate or figure.score is None:
        return figure.estimate
    return Estimate(figure.score, inf, 0)


def _average(
    suite: str, label: str, members: Mapping[str, Estimate | None], level: float, higher_is_better: bool
) -> Average:
    average = macro_average(members)
    estimate = average.estimate
    return Average(
        suite,
        label,
        interval=t_interval(estimate, level) if estimate else None,
        estimate=estimate,
        test=None,
        p_value=None,
        missing=average.missing,
        higher_is_better=higher_is_better,
    )


def _differences(
    systems: Sequence[System],
    suites: Mapping[str, Sequence[str]],
    comparisons: Sequence[Comparison],
    level: float,
    directions: Mapping[str, bool],
) -> list[Average]:
    """Return the mean difference of each system from the baseline over each suite, p-values adjusted by Holm."""
    by_name = {(each.candidate, each.benchmark): each.estimate for each in comparisons}
    averages = [
        _average(suite, label, {name: by_name.get((label, name)) for name in members}, level, directions[suite])
        for suite, members in suites.items()
        for label in (system.label for system in systems)
    ]
    tests = [t_test(each.estimate) if each.estimate else None for each in averages]
    p_values = iter(holm([test.p_value for test in tests if test]))
    return [
        replace(each, test=test, p_value=float(next(p_values)) if test else None)
        for each, test in zip(averages, tests, strict=True)
    ]


def _matrices(
    systems: Sequence[System],
    benchmarks: Sequence[str],
    suites: Mapping[str, Sequence[str]],
    figures: Mapping[tuple[str, str], RunFigures],
    method: Method,
) -> Iterator[Matrix]:
    estimates: dict[str, dict[Pair, Estimate]] = {}
    for name in benchmarks:
        present = [system for system in systems if name in system.runs]
        pairs = dict(_pairs(name, present, method))
        estimates[name] = {labels: estimate for labels, (estimate, _) in pairs.items()}
        scores = {system.label: figures[system.label, name].score for system in present}
        higher = all(_directions(present, [name]))
        yield _matrix(name, scores, estimates[name], [p_value for _, p_value in pairs.values()], higher, method.level)
    for suite, members in suites.items():
        own = {system.label: macro_average(_scores(system, members, figures)).estimate for system in systems}
        both = combinations([label for label, estimate in own.items() if estimate], 2)
        averages = {labels: macro_average({name: estimates[name].get(labels) for name in members}) for labels in both}
        known = {labels: average.estimate for labels, average in averages.items() if average.estimate}
        p_values = [t_test(estimate).p_value for estimate in known.values()]
        scores = {label: estimate.value for label, estimate in own.items() if estimate}
        higher = all(_directions(systems, members))
        yield _matrix(suite, scores, known, p_values, higher, method.level)


def _pairs(name: str, systems: Sequence[System], method: Method) -> Iterator[tuple[Pair, tuple[Estimate, float]]]:
    """Yield the difference of each pair of systems on a benchmark that can be compared, and its p-value."""
    for one, two in combinations(systems, 2):
        before, after = one.runs[name], two.runs[name]
        if any(refusals(before, after)) and not method.force:
            continue
        try:
            paired = pair(name, before, after, method)
        except LogError:
            continue  # the comparisons with the baseline say why
        found = infer((before, after), paired, method)
        if found.test.method != NOT_TESTED:
            yield (one.label, two.label), (found.estimate, found.test.p_value)


def _matrix(
    name: str,
    scores: Mapping[str, float | None],
    estimates: Mapping[Pair, Estimate],
    p_values: Sequence[float],
    higher_is_better: bool,
    level: float,
) -> Matrix:
    adjusted = dict(zip(estimates, map(float, holm(p_values)), strict=True))
    known = {label: score for label, score in scores.items() if score is not None and isfinite(score)}
    ordered = dict(sorted(known.items(), key=lambda item: item[1], reverse=higher_is_better))
    different = [labels for labels, p_value in adjusted.items() if p_value <= 1 - level]
    best_first = {label: score if higher_is_better else -score for label, score in ordered.items()}
    return Matrix(name, ordered, estimates, adjusted, tie_groups(best_first, different), level)
