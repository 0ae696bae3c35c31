"""The figures of one run: its score with an interval, and what to know before believing it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, isfinite
from typing import Any

from openbench.scorers.reasons import REFUSED, TRUNCATED
from openbench_analysis.runs import Run
from openbench_analysis.statistics import Estimate, Interval, mean_interval, mean_of

_CLOSE = 1e-6


@dataclass(frozen=True, kw_only=True)
class RunFigures:
    """The figures of one run.

    Attributes:
        score: The headline metric as the log has it; None if nothing was scored.
        interval: The interval of the samples' mean score; None where the metric is not such a mean.
        estimate: That mean with its standard error, clustered where the benchmark declares a cluster.
        samples: The number of samples, whatever their epochs.
        results: The number of samples times epochs.
        scored: How many samples have a score.
        errors: How many results ended in an error.
        unscored: How many results without an error lack a score.
        answered: The share of results without an error that hold an answer; None if all have one.
        truncated: How many answers were cut off at the token limit.
        refused: How many answers the model refused to give.
        limits: How many results reached a limit.
        input_tokens: The input tokens of the evaluated model, over all results.
        output_tokens: Its output tokens.
        cost: What all models' tokens cost; None without prices.
        seconds: For how long the run's samples ran.
    """

    score: float | None
    interval: Interval | None
    estimate: Estimate | None
    samples: int
    results: int
    scored: int
    errors: int
    unscored: int
    answered: float | None
    truncated: int
    refused: int
    limits: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float


def figures_of(run: Run, *, level: float = 0.95, cluster: str | None = None) -> RunFigures:
    """Compute the figures of a run.

    Args:
        run: The run.
        level: The confidence level of the interval.
        cluster: The key of the samples' metadata that names the cluster; the benchmark's own by default.
    """
    ids = [id_ for id_, score in run.scores.items() if isfinite(score)]
    scores = [run.scores[id_] for id_ in ids]
    mean = bool(scores) and is_mean(run)
    clusters = clusters_of(run, ids, cluster) if mean else None
    completed = [result for result in run.results if result.error is None]
    return RunFigures(
        score=run.headline.value if run.headline else None,
        interval=mean_interval(scores, clusters, level=level) if mean else None,
        estimate=mean_of(scores, clusters) if mean else None,
        samples=len(run.items),
        results=len(run.results),
        scored=len(ids),
        errors=len(run.results) - len(completed),
        unscored=sum(not isfinite(result.score) for result in completed),
        answered=sum(result.answered for result in completed) / len(completed) if completed else None,
        truncated=sum(result.stop == TRUNCATED for result in run.results),
        refused=sum(result.stop == REFUSED for result in run.results),
        limits=sum(result.limit is not None for result in run.results),
        input_tokens=sum(result.input_tokens for result in run.results),
        output_tokens=sum(result.output_tokens for result in run.results),
        cost=run.summary.cost,
        seconds=run.summary.seconds,
    )


def is_mean(run: Run) -> bool:
    """Return whether the headline metric is the mean of the samples' scores, by its name or by its value."""
    if run.headline is None or run.headline.is_mean:
        return run.headline is not None
    finite = [score for score in run.scores.values() if isfinite(score)]
    return bool(finite) and isclose(sum(finite) / len(finite), run.headline.value, abs_tol=_CLOSE)


def clusters_of(run: Run, ids: Sequence[str | int], key: str | None = None) -> Sequence[str] | None:
    """Return the cluster of each sample; None if no key names one.

    Args:
        run: The run.
        ids: The samples' ids.
        key: The key of their metadata; the one by which the benchmark's own standard errors are clustered by default.
            A sample without it is a cluster of its own.
    """
    key = key or run.cluster_key
    if key is None:
        return None
    held: Sequence[Any] = [run.items[id_][0].metadata.get(key) for id_ in ids]
    return [f"sample {id_!r}" if value is None else repr(value) for id_, value in zip(ids, held, strict=True)]
