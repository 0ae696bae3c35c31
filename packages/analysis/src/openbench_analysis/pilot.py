"""How much systems differ from sample to sample, measured in the logs of a pilot."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from openbench.errors import LogError, UsageError
from openbench.registry.names import normalized
from openbench.run.summary import MEAN
from openbench_analysis.alignment import Id, align
from openbench_analysis.planning import Target, Variability
from openbench_analysis.runs import Run
from openbench_analysis.statistics import Components, components_of, design_effect, is_binary
from openbench_analysis.statistics.results import FloatArray
from openbench_analysis.systems import System

_FEWEST = 2


def measured(
    systems: Sequence[System], names: Sequence[str], samples: int | None = None, within: float | None = None
) -> tuple[list[tuple[Target, Variability]], list[str]]:
    """Return the variability of each system against the first one by benchmark; of a single system, that of its epochs.

    Args:
        systems: The systems.
        names: The benchmarks; all if none is named.
        samples: The number of samples that is planned; by default that of the benchmark.
        within: The part of the variance that is noise between epochs, for runs of one epoch; None if it is not known.

    Returns:
        The cases, and a message on each run that does not say how much systems differ.

    Raises:
        UsageError: A benchmark has no logs.
    """
    found = list(dict.fromkeys(benchmark for system in systems for benchmark in system.runs))
    for name in names:
        if normalized(name) not in map(normalized, found):
            raise UsageError(f"{name}: no log is of this benchmark. The logs are of {', '.join(found)}.")
    cases, problems = [], []
    for benchmark in found:
        if names and normalized(benchmark) not in map(normalized, names):
            continue
        runs = [(system.label, system.runs[benchmark]) for system in systems if benchmark in system.runs]
        target = Target(benchmark, samples or _samples(runs[0][1]))
        for of in _each(runs, within):
            try:
                cases.append((target, of()))
            except LogError as error:
                problems.append(str(error))
    return cases, problems


def _each(runs: Sequence[tuple[str, Run]], within: float | None) -> Iterator[Callable[[], Variability]]:
    (label, first), *others = runs
    if not others:
        yield partial(of_epochs, first, label)
    for other, run in others:
        yield partial(of_pair, first, run, f"{label} and {other}", within)


def _samples(run: Run) -> int:
    """Return how many samples the benchmark had in a run, whatever the limit."""
    return run.log.eval.dataset.samples or len(run.items)


def of_epochs(run: Run, label: str) -> Variability:
    """Return the variability of a system's epochs against each other: the least that two systems differ by.

    Raises:
        LogError: There are not two epochs and samples.
    """
    _check_mean(run)
    scores = _scores(run, list(run.items))
    scores = scores[np.isfinite(scores).all(axis=1)]
    if min(scores.shape) < _FEWEST:
        raise LogError(
            f"{run.location} is the only run of {run.benchmark}, in one epoch. Name a second run, or one with "
            "several epochs, to measure how much scores differ."
        )
    noise = 2 * float(scores.var(axis=1, ddof=1).mean())
    pilot = f"{label}, its own epochs"
    if not noise:
        raise LogError(f"{run.location}: all epochs of each sample score the same.")
    if is_binary(scores):
        return Variability.of_discordance(noise, 1.0, pilot)
    return Variability(components=Components(between=0.0, within=noise), pilot=pilot)


def of_pair(before: Run, after: Run, pilot: str, within: float | None = None) -> Variability:
    """Return the variability of two runs on the same samples.

    Args:
        before: The first run.
        after: The second run.
        pilot: What the two are called.
        within: The part of the variance that is noise between epochs, if the runs have one each.

    Raises:
        LogError: They share too few samples, or all score the same.
    """
    _check_mean(before)
    _check_mean(after)
    ids = align(before, after).pairs
    first, second = _scores(before, [one for one, _ in ids]), _scores(after, [two for _, two in ids])
    scored = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    first, second, ids = first[scored], second[scored], [ids[row] for row in np.flatnonzero(scored).tolist()]
    where = f"{before.location} and {after.location}"
    if len(ids) < _FEWEST:
        raise LogError(f"{where}: {len(ids)} samples have a score in both; two are the fewest that vary.")
    if min(first.shape[1], second.shape[1]) < _FEWEST:
        first, second = first[:, :1], second[:, :1]
    observed = second.mean(axis=1) - first.mean(axis=1)
    if not observed.any():
        raise LogError(f"{where}: all {len(ids)} samples score the same in both.")
    effect = _design_effect(before, [one for one, _ in ids], observed)
    if first.shape[1] < _FEWEST and effect is None and is_binary(first, second):
        return Variability.of_discordance(float(observed.astype(bool).mean()), within, pilot)
    total, repeated = float(observed.var(ddof=1)), first.shape[1] >= _FEWEST
    parts = components_of(first, second) if repeated else Components(total * (1 - (within or 0)), total * (within or 0))
    clustered = Components(parts.between + ((effect or 1.0) - 1) * total, parts.within)
    known = repeated or within is not None
    return Variability(components=clustered, epochs=None if known else 1, pilot=pilot, design_effect=effect)


def _scores(run: Run, ids: Sequence[Id]) -> FloatArray:
    """Return the scores of samples, shape (n, epochs); of epochs that are not averaged, those that the run reduced."""
    if run.headline and run.headline.reducer != MEAN:
        return np.array([[run.scores[id_]] for id_ in ids]).reshape(len(ids), 1)
    epochs = max((len(run.items[id_]) for id_ in ids), default=0)
    scores = np.full((len(ids), epochs), np.nan)
    for row, id_ in zip(scores, ids, strict=True):
        values = [result.score for result in run.items[id_]]
        row[: len(values)] = values
    return scores


def _check_mean(run: Run) -> None:
    if run.headline is None or not run.headline.is_mean:
        what = f"{run.headline.name} is not a mean of samples' scores" if run.headline else "there are no scores"
        raise LogError(f"{run.location}: {what}, so that their variance says nothing.")


def _design_effect(run: Run, ids: Sequence[Id], observed: FloatArray) -> float | None:
    """Return the design effect of the benchmark's clusters, at least 1; None if samples share none."""
    if run.cluster_key is None:
        return None
    named = [run.items[id_][0].metadata.get(run.cluster_key, ("", id_)) for id_ in ids]
    clusters = [str(name) for name in named]
    if len(set(clusters)) == len(clusters):
        return None
    effect = design_effect(observed, clusters)
    return max(effect, 1.0) if np.isfinite(effect) else 1.0
