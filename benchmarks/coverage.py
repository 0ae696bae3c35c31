"""How often intervals hold the true difference and tests find one where there is none, as tables in Markdown.

Two runs on the same samples are simulated again and again: scores of 0 and 1, and graded ones; independent samples, and
samples in clusters; from 20 samples to 5,000, with no difference or a tiny one. The methods are those of
`openbench_analysis.statistics`; the first interval of a table is the one that is shown where none is named.
"""

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from openbench_analysis.statistics import (
    Interval,
    PairedCounts,
    bca_interval,
    clopper_pearson,
    liang_zeger,
    mcnemar,
    mean_interval,
    mean_of,
    newcombe,
    paired_interval,
    paired_test,
    sign_flip,
    t_interval,
    t_test,
    tango,
    wilson,
)

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Setting = TypeVar("Setting")

LEAST, MOST, MOST_FROM = 0.93, 0.97, 200
"""The coverage that the interval shown has at least, and at most from so many samples on."""
MOST_FALSE, LEAST_FALSE, DISCORDANT = 0.07, 0.03, 50
"""The share of false positives that no test exceeds, and that none but the exact one falls below if so many differ."""
ALPHA = 0.05
BOOTSTRAPPED = 100
"""The most clusters, and the most samples whose scores are all different, for which bootstraps are tried."""
ACCURACY = 0.6
"""The first run's accuracy in clusters."""
RESAMPLES = 500
"""Draws of a bootstrap or permutation test, fewer than by default: there are thousands of data sets."""


@dataclass(frozen=True)
class Binary:
    """Scores of 0 and 1: the first run's accuracy, the share of samples that differ, and the difference."""

    samples: int
    accuracy: float
    discordance: float
    difference: float

    def shares(self) -> list[float]:
        """Return the probabilities of right in both runs, in the first alone, in the second alone, and in neither."""
        down, up = (self.discordance - self.difference) / 2, (self.discordance + self.difference) / 2
        return [self.accuracy - down, down, up, 1 - self.accuracy - up]


@dataclass(frozen=True)
class Graded:
    """Scores that are means of epochs, or, with 0 epochs, any numbers from 0 to 1 of which most are near 0.

    With an ability, it is that of all samples; else they have abilities of their own.
    """

    samples: int
    epochs: int
    difference: float
    ability: float | None = None

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Return the scores of two runs."""
        if not self.epochs:
            before, after = rng.beta(0.2, 1, size=(2, self.samples))
            moved = rng.random(self.samples) < self.difference
            return before, np.where(moved, before + 1, after)
        if self.ability is None:
            ability = rng.beta(1.5, 1, size=self.samples) * (1 - self.difference)
        else:
            ability = np.full(self.samples, self.ability)
        before = rng.binomial(self.epochs, ability) / self.epochs
        return before, rng.binomial(self.epochs, ability + self.difference) / self.epochs


@dataclass(frozen=True)
class Clustered:
    """Samples in clusters, such as questions about passages.

    Attributes:
        clusters: The number of clusters.
        sizes: `equal`: 4 samples each; `unequal`: 2 and more, 5 on average; `one large`: one holds a third of all.
        binary: Whether scores are 0 and 1.
        correlation: That of two differences in a cluster, about.
        difference: The true difference.
    """

    clusters: int
    sizes: str
    binary: bool
    correlation: float
    difference: float

    def draw(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the scores of two runs and the cluster of each sample."""
        sizes = np.full(self.clusters, 4)
        if self.sizes == "unequal":
            sizes = 1 + rng.geometric(0.25, size=self.clusters)
        elif self.sizes == "one large":
            sizes[0] = 2 * (self.clusters - 1)
        cluster = np.repeat(np.arange(self.clusters), sizes)
        if self.binary:
            # of the samples that differ, a share that the cluster shares goes up
            spread = 1 / self.correlation - 1
            tilt = rng.beta(spread / 2, spread / 2, size=self.clusters)[cluster]
            differs = rng.random(cluster.size) < 0.3 - self.difference
            up = differs & (rng.random(cluster.size) < tilt)
            before = np.where(differs, ~up, rng.random(cluster.size) < ACCURACY).astype(np.float64)
            after = np.where(differs, up, before).astype(np.float64)
            moved = rng.random(cluster.size) < self.difference
            return np.where(moved, 0.0, before), np.where(moved, 1.0, after), cluster
        shared = rng.normal(size=self.clusters)[cluster] * math.sqrt(self.correlation)
        own = rng.normal(size=cluster.size) * math.sqrt(1 - self.correlation)
        before = rng.uniform(size=cluster.size)
        return before, before + self.difference + 0.2 * (shared + own), cluster


@dataclass
class Counts:
    """How often each method did what it is asked for: held the true difference, or found one."""

    runs: int
    hits: dict[str, int]

    def percent(self, name: str) -> float | None:
        """Return the share of a method, in per cent; None if it was not run."""
        return 100 * self.hits[name] / self.runs if name in self.hits else None


def holds(interval: Interval, value: float) -> bool:
    """Return whether an interval holds a value."""
    return interval.low <= value <= interval.high


def binary(setting: Binary, runs: int, rng: np.random.Generator) -> Counts:
    """Simulate scores of 0 and 1; data sets with the same four counts are computed once."""
    drawn = rng.multinomial(setting.samples, setting.shares(), size=runs)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    counts = Counts(runs, {})
    for table, often in zip(tables, times.tolist(), strict=True):
        both, down, up, neither = map(int, table)
        pair = PairedCounts(both, down, up, neither)
        values = np.repeat([-1.0, 1.0, 0.0], [down, up, both + neither])
        found = {
            "Tango": holds(tango(pair), setting.difference),
            "Newcombe": holds(newcombe(pair), setting.difference),
            "Student's t": holds(t_interval(mean_of(values)), setting.difference),
        }
        if not setting.difference:
            found["exact"] = mcnemar(pair).p_value <= ALPHA
            found["mid-p"] = mcnemar(pair, mid_p=True).p_value <= ALPHA
        add(counts, found, often)
    return counts


def graded(setting: Graded, runs: int, rng: np.random.Generator) -> Counts:
    """Simulate graded scores."""
    counts = Counts(runs, {})
    for run in range(runs):
        before, after = setting.draw(rng)
        values = after - before
        found = {
            "shown": holds(paired_interval(before, after), setting.difference),
            "Student's t": holds(t_interval(mean_of(values)), setting.difference),
        }
        if setting.epochs or setting.samples <= BOOTSTRAPPED:
            found["BCa"] = holds(bca_interval(values, resamples=RESAMPLES, seed=run), setting.difference)
        if not setting.difference:
            found["sign flips"] = paired_test(before, after, flips=RESAMPLES - 1, seed=run).p_value <= ALPHA
            found["t-test"] = t_test(mean_of(values)).p_value <= ALPHA
        add(counts, found)
    return counts


def clustered(setting: Clustered, runs: int, rng: np.random.Generator) -> Counts:
    """Simulate samples in clusters."""
    counts = Counts(runs, {})
    for run in range(runs):
        before, after, cluster = setting.draw(rng)
        values = after - before
        found = {
            "shown": holds(paired_interval(before, after, cluster), setting.difference),
            "CR2": holds(t_interval(mean_of(values, cluster)), setting.difference),
            "usual": holds(t_interval(liang_zeger(values, cluster)), setting.difference),
            "unclustered": holds(t_interval(mean_of(values)), setting.difference),
        }
        if setting.clusters <= BOOTSTRAPPED:
            bootstrap = bca_interval(values, cluster, resamples=RESAMPLES, seed=run)
            found["bootstrap"] = holds(bootstrap, setting.difference)
        if not setting.difference:
            found["test shown"] = paired_test(before, after, cluster).p_value <= ALPHA
            found["sign flips"] = sign_flip(values, cluster, flips=RESAMPLES - 1, seed=run).p_value <= ALPHA
        add(counts, found)
    return counts


def add(counts: Counts, found: dict[str, bool], often: int = 1) -> None:
    """Count what the methods found in a data set."""
    for name, hit in found.items():
        counts.hits[name] = counts.hits.get(name, 0) + hit * often


def single(samples: int, accuracy: float, runs: int, rng: np.random.Generator) -> Counts:
    """Simulate the accuracy of one run."""
    successes, times = np.unique(rng.binomial(samples, accuracy, size=runs), return_counts=True)
    counts = Counts(runs, {})
    for right, often in zip(successes.tolist(), times.tolist(), strict=True):
        share = right / samples
        half = 1.959964 * math.sqrt(share * (1 - share) / samples)
        found = {
            "shown": holds(mean_interval(np.repeat([1.0, 0.0], [right, samples - right])), accuracy),
            "Wilson": holds(wilson(right, samples), accuracy),
            "Clopper-Pearson": holds(clopper_pearson(right, samples), accuracy),
            "normal": share - half <= accuracy <= share + half,
        }
        add(counts, found, often)
    return counts


BINARY = [
    Binary(samples, accuracy, discordance, difference)
    for samples in (20, 50, 200, 1000, 5000)
    for accuracy, discordance in ((0.5, 0.3), (0.7, 0.15), (0.9, 0.1), (0.95, 0.05))
    for difference in (0.0, 0.01)
]
GRADED = [
    Graded(samples, epochs, difference, ability)
    for epochs, ability, sizes in (
        (4, None, (20, 50, 200, 1000, 5000)),
        (4, 0.985, (20, 50, 200, 1000, 5000)),
        (0, None, (20, 50, 200, 1000)),
    )
    for samples in sizes
    for difference in (0.0, 0.01)
]
CLUSTERED = [
    Clustered(clusters, sizes, is_binary, correlation, difference)
    for is_binary in (True, False)
    for sizes, numbers in (("equal", (5, 10, 30, 100, 1250)), ("unequal", (10, 30, 100)), ("one large", (30, 100)))
    for clusters in numbers
    for correlation, difference in ((0.1, 0.01), (0.4, 0.0))
]
SINGLE = [(samples, accuracy) for samples in (20, 50, 200, 1000, 5000) for accuracy in (0.5, 0.7, 0.9, 0.95)]


class Table:
    """A table in Markdown, whose cells beyond a bound are bold and counted."""

    def __init__(self, title: str, facts: Sequence[str], intervals: Sequence[str], tests: Sequence[str] = ()) -> None:
        self.columns, self.intervals, self.tests = [*facts, *intervals, *tests], intervals, tests
        self.missed: list[str] = []
        print(f"\n**{title}**\n\n| {' | '.join(self.columns)} |\n|{' --- |' * len(self.columns)}", flush=True)

    def row(self, samples: int, discordant: float, facts: Sequence[object], counts: Counts) -> None:
        """Print a row; the first interval is the one shown, and all tests have bounds."""
        cells = [str(fact) for fact in facts]
        for name in (*self.intervals, *self.tests):
            percent = counts.percent(name)
            cell = "" if percent is None else f"{percent:.1f}"
            if percent is not None and not self._within(name, percent / 100, samples, discordant):
                self.missed.append(f"{', '.join(cells[: len(facts)])}: {name} {cell}")
                cell = f"**{cell}**"
            cells.append(cell)
        print(f"| {' | '.join(cells)} |", flush=True)

    def _within(self, name: str, share: float, samples: int, discordant: float) -> bool:
        if name in self.tests:
            conservative = name == "exact" or discordant < DISCORDANT
            return share <= MOST_FALSE and (conservative or share >= LEAST_FALSE)
        return name != self.intervals[0] or (share >= LEAST and (share <= MOST or samples < MOST_FROM))


def tables(runs: int, seed: int) -> Iterator[Table]:
    """Print all tables, and yield each when it is whole."""
    rngs = iter(np.random.default_rng(seed).spawn(1_000))

    def ran(function: Callable[[Setting, int, np.random.Generator], Counts], setting: Setting) -> Counts:
        return function(setting, runs, next(rngs))

    table = Table(
        "Two runs, scores of 0 and 1",
        ["samples", "accuracy", "discordant", "difference"],
        ["Tango", "Newcombe", "Student's t"],
        ["exact", "mid-p"],
    )
    for of in BINARY:
        facts: tuple[object, ...] = (f"{of.samples:,}", of.accuracy, f"{of.discordance:.0%}", of.difference)
        table.row(of.samples, of.samples * of.discordance, facts, ran(binary, of))
    yield table
    table = Table(
        "Two runs, graded scores",
        ["samples", "scores", "difference"],
        ["shown", "Student's t", "BCa"],
        ["sign flips", "t-test"],
    )
    for grades in GRADED:
        kind = f"{grades.epochs} epochs" if grades.epochs else "continuous, skewed"
        kind += ", nearly all 1" if grades.ability else ""
        facts = (f"{grades.samples:,}", kind, grades.difference)
        table.row(grades.samples, grades.samples * (0.11 if grades.ability else 0.5), facts, ran(graded, grades))
    yield table
    table = Table(
        "Two runs, samples in clusters",
        ["clusters", "sizes", "scores", "correlation", "difference"],
        ["shown", "CR2", "usual", "bootstrap", "unclustered"],
        ["test shown", "sign flips"],
    )
    for groups in CLUSTERED:
        kind = "0/1" if groups.binary else "graded"
        samples = 4 * groups.clusters
        facts = (f"{groups.clusters:,}", groups.sizes, kind, groups.correlation, groups.difference)
        table.row(samples, samples * (0.3 if groups.binary else 1), facts, ran(clustered, groups))
    yield table
    table = Table(
        "One run, scores of 0 and 1", ["samples", "accuracy"], ["shown", "Wilson", "Clopper-Pearson", "normal"]
    )
    for samples, accuracy in SINGLE:
        table.row(samples, samples, (f"{samples:,}", accuracy), single(samples, accuracy, runs, next(rngs)))
    yield table


def main() -> None:
    """Print the tables, and what is beyond a bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="data sets simulated for each row")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    start = time.process_time()
    missed = [line for table in tables(arguments.runs, arguments.seed) for line in table.missed]
    print(f"\n{arguments.runs:,} runs a row, seed {arguments.seed}; {time.process_time() - start:.0f} s of one core.")
    print(f"Beyond the bounds: {len(missed)}." + "".join(f"\n- {line}" for line in missed))


if __name__ == "__main__":
    main()
