"""Compares two runs of a benchmark on the samples that they have in common."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, nan
from typing import Literal

import numpy as np

from openbench.errors import LogError
from openbench_analysis.alignment import Alignment, Id, Match, align, caveats, refusals
from openbench_analysis.figures import clusters_of, is_mean
from openbench_analysis.inference import NOT_TESTED, Inference, PairedMetric, infer_mean, infer_metric, untested
from openbench_analysis.runs import Run, SampleResult
from openbench_analysis.statistics import (
    Estimate,
    Interval,
    Significance,
    benjamini_hochberg,
    design_effect,
    minimum_detectable_effect,
)
from openbench_analysis.statistics.results import FloatArray

Verdict = Literal["better", "worse", "no difference shown"]

_ONE_SIDED = 0.9  # two one-sided tests at 5 %


def verdict_of(difference: float, p_value: float, level: float, *, higher_is_better: bool) -> Verdict:
    """Return what a test at one less the confidence level says of a difference."""
    if p_value > 1 - level or not difference:
        return "no difference shown"
    return "better" if (difference > 0) == higher_is_better else "worse"


@dataclass(frozen=True, kw_only=True)
class Method:
    """How runs are compared.

    Attributes:
        level: The confidence level of intervals; one less the significance level of tests.
        match: What samples are matched by.
        cluster: The key of the samples' metadata that names the cluster; the benchmark's own by default.
        mid_p: Whether scores of 0 and 1 are tested by the mid-p McNemar test in place of the exact one.
        margin: The difference that would matter, in the unit of the scores, for equivalence; None to leave it out.
        by: The keys of the samples' metadata whose values are compared as categories.
        seed: The seed of what is random.
        force: Whether runs are compared that should not be.
    """

    level: float = 0.95
    match: Match = "content"
    cluster: str | None = None
    mid_p: bool = False
    margin: float | None = None
    by: Sequence[str] = ()
    seed: int = 0
    force: bool = False


@dataclass(frozen=True)
class Paired:
    """The scores of two runs on the samples that both scored.

    Attributes:
        alignment: How the samples were matched.
        ids: The ids of these samples in the first run, and in the second.
        before: The scores of the first run, shape (n,), epochs reduced.
        after: The scores of the second, in the same order.
        clusters: The cluster of each sample; None without clusters.
        unscored: How many matched samples have no score in the first run, and in the second.
        metric: The headline metric, if it is not a mean of the scores.
        untested: Why the metric, which is not a mean, cannot be recomputed, so that its difference has no test.
    """

    alignment: Alignment
    ids: Sequence[tuple[Id, Id]]
    before: FloatArray
    after: FloatArray
    clusters: Sequence[str] | None
    unscored: tuple[int, int]
    metric: PairedMetric | None = None
    untested: str | None = None


@dataclass(frozen=True)
class Equivalence:
    """Whether two runs differ by less than a margin, by two one-sided tests at 5 %.

    Attributes:
        margin: The margin.
        interval: The 90 % interval of the difference.
        equivalent: Whether it lies within the margin on both sides.
        not_worse: Whether the second run is worse by less than the margin.
    """

    margin: float
    interval: Interval
    equivalent: bool
    not_worse: bool


@dataclass(frozen=True, kw_only=True)
class Category:
    """The comparison of the samples of one category.

    Attributes:
        key: The key of the samples' metadata.
        name: Its value.
        samples: How many samples both runs scored.
        before: The mean score of the first run.
        after: That of the second.
        difference: The interval of the difference.
        p_value: The p-value, adjusted over the categories of a key by Benjamini and Hochberg's method.
    """

    key: str
    name: str
    samples: int
    before: float
    after: float
    difference: Interval
    p_value: float


@dataclass(frozen=True)
class Flip:
    """A sample that two runs score differently.

    Attributes:
        before: Its result in the first run, in the epoch of the lowest number.
        after: Its result in the second.
        change: The second run's score less the first's, epochs reduced.
    """

    before: SampleResult
    after: SampleResult
    change: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two runs of a benchmark.

    Attributes:
        benchmark: The benchmark.
        baseline: The label of the first system.
        candidate: The label of the second.
        runs: Both runs.
        paired: Their scores.
        scores: The metric of both runs on the samples that both scored.
        difference: The interval of the second's less the first's.
        estimate: The same with its standard error.
        test: The test of no difference.
        p_value: Its p-value, adjusted for the number of comparisons.
        detectable: The smallest true difference that would be found with a probability of 80 %; None if it is unknown.
        design_effect: How many times more samples the clusters cost; None without clusters.
        equivalence: Whether the difference is within the margin, if there is one.
        categories: The categories.
        caveats: What differs between the runs, or cannot be checked.
        level: The confidence level.
    """

    benchmark: str
    baseline: str
    candidate: str
    runs: tuple[Run, Run] = field(repr=False)
    paired: Paired = field(repr=False)
    scores: tuple[float, float]
    difference: Interval
    estimate: Estimate
    test: Significance
    p_value: float
    detectable: float | None
    design_effect: float | None
    equivalence: Equivalence | None
    categories: Sequence[Category]
    caveats: Sequence[str]
    level: float

    @property
    def samples(self) -> int:
        """How many samples both runs scored."""
        return self.paired.before.size

    @property
    def higher(self) -> int:
        """How many samples score higher in the second run."""
        return int((self.paired.after > self.paired.before).sum())

    @property
    def lower(self) -> int:
        """How many samples score lower in the second run."""
        return int((self.paired.after < self.paired.before).sum())

    @property
    def tested(self) -> bool:
        """Whether there is a test of the difference."""
        return self.test.method != NOT_TESTED

    @property
    def verdict(self) -> Verdict:
        """Whether the second run is better, regarding the direction of the metric."""
        higher = self.runs[0].higher_is_better
        return verdict_of(self.difference.estimate, self.p_value, self.level, higher_is_better=higher)

    def adjusted(self, p_value: float) -> "Comparison":
        """Return the comparison with another p-value."""
        return replace(self, p_value=p_value)

    def flips(self) -> list[Flip]:
        """Return the samples that are scored differently, the largest change first."""
        before, after = (run.items for run in self.runs)
        changes = (self.paired.after - self.paired.before).tolist()
        flips = [
            Flip(before[one][0], after[two][0], change)
            for (one, two), change in zip(self.paired.ids, changes, strict=True)
            if change
        ]
        return sorted(flips, key=lambda flip: (-abs(flip.change), str(flip.before.id)))


def compare_runs(
    benchmark: str, baseline: tuple[str, Run], candidate: tuple[str, Run], method: Method | None = None
) -> Comparison:
    """Compare two runs of a benchmark.

    Args:
        benchmark: The benchmark's name.
        baseline: The label and the run that the difference is from.
        candidate: The label and the run that the difference is to.
        method: How they are compared.

    Raises:
        LogError: They cannot be compared, or have no scored samples in common.
    """
    method = method or Method()
    (first, before), (second, after) = baseline, candidate
    refused = list(refusals(before, after))
    if refused and not (method.force and before.headline and after.headline):
        raise LogError(f"{benchmark}: {first} and {second} are not compared: {'; '.join(refused)}.")
    paired = pair(benchmark, before, after, method)
    found = infer((before, after), paired, method)
    return Comparison(
        benchmark=benchmark,
        baseline=first,
        candidate=second,
        runs=(before, after),
        paired=paired,
        scores=found.scores,
        difference=found.interval,
        estimate=found.estimate,
        test=found.test,
        p_value=found.test.p_value,
        detectable=_detectable(found.estimate, method.level),
        design_effect=_design_effect(paired),
        equivalence=_equivalence((before, after), paired, method),
        categories=[each for key in method.by for each in _categories(key, (before, after), paired, method)],
        caveats=[*refused, *caveats(before, after), *([found.reason] if found.reason else [])],
        level=method.level,
    )


def pair(benchmark: str, before: Run, after: Run, method: Method) -> Paired:
    """Return the scores of two runs on the samples that both scored.

    Raises:
        LogError: No logs were found.
    """
    alignment = align(before, after, method.match)
    scored = [tuple(map(isfinite, (before.scores[one], after.scores[two]))) for one, two in alignment.pairs]
    ids = [both for both, finite in zip(alignment.pairs, scored, strict=True) if all(finite)]
    if not ids:
        raise LogError(_nothing_common(benchmark, before, after, alignment))
    metric, reason = (None, None) if is_mean(before) and is_mean(after) else _paired_metric(before, after, ids)
    return Paired(
        alignment,
        ids,
        np.array([before.scores[one] for one, _ in ids], dtype=np.float64),
        np.array([after.scores[two] for _, two in ids], dtype=np.float64),
        clusters_of(before, [one for one, _ in ids], method.cluster),
        (sum(not one for one, _ in scored), sum(not two for _, two in scored)),
        metric,
        reason,
    )


def infer(runs: tuple[Run, Run], paired: Paired, method: Method, level: float | None = None) -> Inference:
    """Return the difference of two runs, its interval and its test.

    Args:
        runs: The runs.
        paired: Their scores.
        method: How they are compared.
        level: The confidence level, if it is not the method's.
    """
    level = level or method.level
    if paired.untested:
        before, after = (run.headline.value if run.headline else nan for run in runs)
        return untested((before, after), level, paired.untested)
    if paired.metric:
        return infer_metric(paired.metric, paired.clusters, level=level, seed=method.seed)
    return infer_mean(paired.before, paired.after, paired.clusters, level=level, mid_p=method.mid_p, seed=method.seed)


def _paired_metric(before: Run, after: Run, ids: Sequence[tuple[Id, Id]]) -> tuple[PairedMetric | None, str | None]:
    """Return the headline metric if it is not a mean, or why it cannot be recomputed."""
    try:
        return PairedMetric((before.metric, after.metric), ids), None
    except LogError as error:
        return None, f"the difference has no test: {str(error).removesuffix('.')}"


def _nothing_common(benchmark: str, before: Run, after: Run, alignment: Alignment) -> str:
    where = f"{benchmark}: {before.location} and {after.location}"
    if alignment.pairs:
        return f"{where} have {len(alignment.pairs)} samples in common, none of which has a score in both."
    if alignment.changed:
        return (
            f"{where} have no sample in common: {alignment.changed} samples have the same ids, but other contents. "
            "If their prompts differ on purpose, compare them with --match id."
        )
    return f"{where} have no sample in common."


def _detectable(estimate: Estimate, level: float) -> float | None:
    error = estimate.standard_error
    return minimum_detectable_effect(error, level=level) if isfinite(error) and error > 0 else None


def _design_effect(paired: Paired) -> float | None:
    if paired.clusters is None or len(set(paired.clusters)) in {1, paired.before.size}:
        return None
    found = design_effect(paired.after - paired.before, paired.clusters)
    return found if isfinite(found) else None


def _equivalence(runs: tuple[Run, Run], paired: Paired, method: Method) -> Equivalence | None:
    if not method.margin:
        return None
    interval = infer(runs, paired, method, _ONE_SIDED).interval
    above, below = interval.low > -method.margin, interval.high < method.margin
    return Equivalence(method.margin, interval, above and below, above if runs[0].higher_is_better else below)


def _categories(key: str, runs: tuple[Run, Run], paired: Paired, method: Method) -> Iterator[Category]:
    """Yield the categories of a key, by name; none where the metric is not known."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, (one, _) in enumerate(paired.ids):
        places[str(runs[0].items[one][0].metadata.get(key, "(none)"))].append(place)
    found = {name: infer(runs, _part(paired, places[name]), method) for name in sorted(places)}
    adjusted = benjamini_hochberg([each.test.p_value for each in found.values()])
    for (name, each), p_value in zip(found.items(), adjusted, strict=True):
        yield Category(
            key=key,
            name=name,
            samples=len(places[name]),
            before=each.scores[0],
            after=each.scores[1],
            difference=each.interval,
            p_value=float(p_value),
        )


def _part(paired: Paired, places: Sequence[int]) -> Paired:
    """Return the scores of some of the samples."""
    return replace(
        paired,
        ids=[paired.ids[place] for place in places],
        before=paired.before[places],
        after=paired.after[places],
        clusters=[paired.clusters[place] for place in places] if paired.clusters else None,
        metric=paired.metric.of(places) if paired.metric else None,
    )
