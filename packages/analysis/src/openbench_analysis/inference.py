"""The difference of two runs with its interval and test: of means, and of metrics that are computed anew."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from inspect_ai.scorer import SampleScore

from openbench_analysis.recomputed import Id, Recomputed, Statistic
from openbench_analysis.statistics import (
    Estimate,
    Interval,
    PairedBootstrap,
    Significance,
    approximate_randomization,
    mean_of,
    paired_bootstrap,
    paired_interval,
    paired_test,
    recomputed_bootstrap,
    recomputed_randomization,
)
from openbench_analysis.statistics.corpus import BoolArray
from openbench_analysis.statistics.results import Clusters, FloatArray, IntArray

_Unit = list[SampleScore]
"""The scores of a sample, or of a cluster of samples."""

NOT_TESTED = "not tested"
"""The method where an interval and a test are not available."""

_MOST, _LEAST = 1_000, 200
_WORK = 500_000  # scores that the draws of a metric without sums are computed from, in each run
_TRIALS, _RESAMPLES = 10_000, 2_000  # of a metric with sums


@dataclass(frozen=True)
class Inference:
    """The difference of two runs, with its interval and test.

    Attributes:
        scores: The metric of the first run, and of the second.
        estimate: The difference, second less first, with its standard error.
        interval: Its interval.
        test: The test of no difference.
        reason: Why the interval and the test are missing, if they are.
    """

    scores: tuple[float, float]
    estimate: Estimate
    interval: Interval
    test: Significance
    reason: str | None = None


@dataclass(frozen=True)
class PairedMetric:
    """A metric that is not a mean, of two runs on the samples that both scored.

    Attributes:
        metrics: The metric of the first run, and of the second.
        ids: The ids of the samples in the first run, and in the second.
    """

    metrics: tuple[Recomputed, Recomputed] = field(repr=False)
    ids: Sequence[tuple[Id, Id]] = field(repr=False)

    def of(self, places: Sequence[int]) -> "PairedMetric":
        """Return the metric of some of the samples."""
        return PairedMetric(self.metrics, [self.ids[place] for place in places])


def infer_mean(
    before: FloatArray,
    after: FloatArray,
    clusters: Clusters | None,
    *,
    level: float = 0.95,
    mid_p: bool = False,
    seed: int = 0,
) -> Inference:
    """Compare the means of two runs' scores, shape (n,), as `paired_interval` and `paired_test` do."""
    return Inference(
        (float(before.mean()), float(after.mean())),
        mean_of(after - before, clusters),
        paired_interval(before, after, clusters, level=level),
        paired_test(before, after, clusters, mid_p=mid_p, seed=seed),
    )


def infer_metric(
    paired: PairedMetric, clusters: Sequence[str] | None, *, level: float = 0.95, seed: int = 0
) -> Inference:
    """Compare a metric of two runs by the paired bootstrap and approximate randomization; with clusters, of clusters.

    A single sample or cluster, and a metric that is NaN for some of the samples, have no test.
    """
    metric, runs = paired.metrics[0], _units(paired, clusters)
    before, after = ([score for unit in units for score in unit] for units in runs)
    scores = metric.value(before), metric.value(after)
    if len(runs[0]) == 1:
        return untested(scores, level, f"{metric.name} of a single {'cluster' if clusters else 'sample'} has no test")
    try:
        if (first := metric.summed(before)) and (second := metric.summed(after)):
            rows = _unit_rows(first[0], runs[0]), _unit_rows(second[0], runs[1])
            test, drawn = _by_sums(*rows, first[1], level, seed)
        else:
            test, drawn = _by_draws(metric, *runs, level, seed)
    except ValueError as error:
        return untested(scores, level, f"{metric.name} has no test: {error}")
    estimate = Estimate(drawn.interval.estimate, drawn.standard_error, len(runs[0]) - 1)
    return Inference(scores, estimate, drawn.interval, test)


def untested(scores: tuple[float, float], level: float, reason: str) -> Inference:
    """Return the difference of two scores without interval and test, and the reason."""
    difference = scores[1] - scores[0]
    return Inference(
        scores,
        Estimate(difference, inf, 0),
        Interval(difference, -inf, inf, level, NOT_TESTED),
        Significance(1.0, NOT_TESTED),
        reason,
    )


def _units(paired: PairedMetric, clusters: Sequence[str] | None) -> tuple[list[_Unit], list[_Unit]]:
    """Return the scores of each sample or cluster in both runs, in an order that does not depend on the logs'."""
    grouped: defaultdict[str, list[tuple[Id, Id]]] = defaultdict(list)
    order = sorted(range(len(paired.ids)), key=lambda place: str(paired.ids[place]))
    for place in order:
        grouped[clusters[place] if clusters else str(place)].append(paired.ids[place])
    before, after = (metric.scores for metric in paired.metrics)
    return (
        [[score for one, _ in ids for score in before[one]] for ids in grouped.values()],
        [[score for _, two in ids for score in after[two]] for ids in grouped.values()],
    )


def _unit_rows(rows: Sequence[Sequence[float]], units: Sequence[_Unit]) -> FloatArray:
    """Return the sums of the rows of each unit's scores, shape (n, k)."""
    starts = np.cumsum([0, *(len(unit) for unit in units[:-1])])
    return np.add.reduceat(np.asarray(rows, dtype=np.float64), starts, axis=0)


def _by_sums(
    before: FloatArray, after: FloatArray, statistic: Statistic, level: float, seed: int
) -> tuple[Significance, PairedBootstrap]:
    def of_sums(sums: FloatArray) -> float:
        return statistic(sums.tolist())

    return (
        approximate_randomization(before, after, of_sums, trials=_TRIALS, seed=seed),
        paired_bootstrap(before, after, of_sums, level=level, resamples=_RESAMPLES, seed=seed),
    )


def _by_draws(
    metric: Recomputed, before: Sequence[_Unit], after: Sequence[_Unit], level: float, seed: int
) -> tuple[Significance, PairedBootstrap]:
    draws = min(max(_WORK // sum(map(len, before)), _LEAST), _MOST)
    copies = tuple(_Copies(units) for units in (before, after))

    def exchanged(mask: BoolArray) -> float:
        drawn = zip(before, after, mask.tolist(), strict=True)
        picked = [(other, own) if swap else (own, other) for own, other, swap in drawn]
        one, two = ([score for both in picked for score in both[run]] for run in (0, 1))
        return metric.value(two) - metric.value(one)

    def resampled(chosen: IntArray) -> float:
        one, two = (metric.value(units.drawn(chosen)) for units in copies)
        return two - one

    return (
        recomputed_randomization(len(before), exchanged, trials=draws, seed=seed),
        recomputed_bootstrap(len(before), resampled, level=level, resamples=draws, seed=seed),
    )


class _Copies:
    """The scores of units; those of one that is drawn again have other ids, as metrics group epochs by the id."""

    def __init__(self, units: Sequence[_Unit]) -> None:
        self._copies = [[unit] for unit in units]

    def drawn(self, chosen: IntArray) -> _Unit:
        """Return the scores of the units at some places, which may repeat."""
        places, counts = np.unique(chosen, return_counts=True)
        return [
            score
            for place, count in zip(places.tolist(), counts.tolist(), strict=True)
            for number in range(count)
            for score in self._copy(place, number)
        ]

    def _copy(self, place: int, number: int) -> _Unit:
        copies = self._copies[place]
        while len(copies) <= number:
            again = f"draw {len(copies)}"
            copies.append([each.model_copy(update={"sample_id": f"{each.sample_id} {again}"}) for each in copies[0]])
        return copies[number]
