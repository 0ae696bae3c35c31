"""Means of samples' scores and their uncertainty (standard errors, also clustered, and intervals), and rates."""

import math
from collections.abc import Sequence
from typing import cast

from inspect_ai.log import EvalScore
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, ci, ci_wilson, metric, stderr, value_to_float

from openbench.datasets.values import is_number
from openbench.errors import UsageError
from openbench.scorers.reasons import is_answered

FEW_CLUSTERS = 20  # below, clustered standard errors are too small on average
_CLUSTER = "cluster"

_to_float = value_to_float()


def figure(score: SampleScore) -> float:
    """Return a score as a number: 1 if correct, 0 if incorrect, 0.5 if partly correct, else its value."""
    return _to_float(score.score.value)


def mean_of(values: Sequence[float]) -> float:
    """Return the mean; NaN of no values."""
    return math.fsum(values) / len(values) if values else math.nan


def stderr_of(values: Sequence[float]) -> float:
    """Return the standard error of the mean, with n - 1 in the variance; NaN of fewer than two values."""
    count, mean = len(values), mean_of(values)
    if count <= 1:
        return math.nan
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1) / count)


def held(score: SampleScore, key: str) -> object:
    """Return the value of a key in a sample's metadata; None without one."""
    return (score.sample_metadata or {}).get(key)


@metric
def clustered_stderr(cluster: str, level: float = 0.95) -> Metric:
    """Report the uncertainty of the mean where samples come in clusters, such as questions about one passage.

    - `clustered_stderr`: with n samples in G clusters, sqrt(G / (G - 1) * sum over clusters of (sum of deviations)^2)
      / n. It is too small on average where there are few clusters; `bench eval` warns below 20.
    - `clustered_lower`, `clustered_upper`: the interval with G - 1 degrees of freedom: for scores of 0 and 1 Wilson's
      with the effective number of samples, else Student's t.
    - `clusters`: G. Samples whose metadata lack the key are clusters of their own.

    With fewer than two clusters all but the last are NaN.

    Source: Miller 2024, Adding error bars to evals, arXiv 2411.00640, appendix A, with the finite-cluster correction;
    Korn and Graubard 1998, Confidence intervals for proportions with small expected number of positive counts, for
    the effective number; computed by inspect's `stderr`, `ci` and `ci_wilson`.

    Args:
        cluster: The key of the samples' metadata that names the cluster.
        level: The confidence level of the interval.

    Raises:
        UsageError: The key is not a text, or empty, or the level is not a number between 0 and 1.
    """
    key: object = cluster
    if not isinstance(key, str) or not key:
        raise UsageError(f"clustered_stderr: cluster={cluster!r}: expected a key of the samples' metadata.")
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        named = [_in_cluster(score, cluster, number) for number, score in enumerate(scores)]
        count = len({held(score, _CLUSTER) for score in named})
        known = count > 1
        lower, upper = interval_of(named, level, _CLUSTER) if known else (math.nan, math.nan)
        error = cast("float", _computed(stderr(cluster=_CLUSTER), named)) if known else math.nan
        return {"clustered_stderr": error, "clustered_lower": lower, "clustered_upper": upper, "clusters": count}

    return calculate


@metric
def wilson(level: float = 0.95) -> Metric:
    """Report the Wilson interval of the mean: `wilson_lower` and `wilson_upper`, from 0 to 1.

    It holds for scores of 0 and 1, also for few samples and near 0 or 1; for other values between them, such as means
    over epochs, it is wider than it need be. Where a score is beyond 0 and 1, or there are none, both are NaN.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22; computed by
    inspect's `ci_wilson`.

    Args:
        level: The confidence level.

    Raises:
        UsageError: The level is not a number between 0 and 1.
    """
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        lower, upper = _wilson(scores, level)
        return {"wilson_lower": lower, "wilson_upper": upper}

    return calculate


# Reduced over epochs, a score has a reason only if all epochs have the same one.
@metric(scores="unreduced")
def answered_rate() -> Metric:
    """Report the share of scored completions that hold an answer, from 0 to 1; every epoch counts by itself."""

    def calculate(scores: list[SampleScore]) -> Value:
        return mean_of([float(is_answered(score.score)) for score in scores])

    return calculate


def unscored_rate(result: EvalScore) -> float:
    """Return the share of samples without a verdict, from 0 to 1; lower is better.

    It is read from a log's results and is not a metric, since Inspect passes unscored samples to none.

    Args:
        result: The results of a scorer (`log.results.scores`).

    Returns:
        The share; NaN without samples.
    """
    scored, unscored = result.scored_samples or 0, result.unscored_samples or 0
    return unscored / (scored + unscored) if scored + unscored else math.nan


def interval_of(scores: list[SampleScore], level: float, cluster: str | None = None) -> tuple[float, float]:
    """Return the interval of the mean that suits the scores.

    Args:
        scores: The scores.
        level: The confidence level.
        cluster: The key of the samples' metadata that names the cluster of each, if they come in two or more.

    Returns:
        Lower and upper bound: Wilson's for scores of 0 and 1, else Student's t, which may reach beyond the scores'
        range. Graded scores that are all equal show no spread: between 0 and 1 they get Wilson's, which is never too
        narrow. NaN where nothing is known: of no scores, or of a single one beyond 0 and 1.
    """
    values = {figure(score) for score in scores}
    if values <= {0.0, 1.0} or len(values) == 1:
        return _wilson(scores, level, cluster)
    return _bounds(_computed(ci(level, cluster=cluster), scores))


def check_level(level: float) -> None:
    """Validate a confidence level.

    Raises:
        UsageError: It is not a number between 0 and 1.
    """
    if not is_number(level) or not 0 < level < 1:
        raise UsageError(f"level={level!r}: expected a number between 0 and 1, such as 0.95.")


def _wilson(scores: list[SampleScore], level: float, cluster: str | None = None) -> tuple[float, float]:
    if not scores or not all(0 <= figure(score) <= 1 for score in scores):
        return math.nan, math.nan
    return _bounds(_computed(ci_wilson(level, cluster=cluster), scores))


def _bounds(interval: Value) -> tuple[float, float]:
    bounds = cast("dict[str, float]", interval)
    return float(bounds["lower"]), float(bounds["upper"])


def _in_cluster(score: SampleScore, key: str, number: int) -> SampleScore:
    value = held(score, key)
    cluster = f"#{number}" if value is None else repr(value)
    return score.model_copy(update={"sample_metadata": {_CLUSTER: cluster}})


def _computed(metric: Metric, scores: list[SampleScore]) -> Value:
    """Return the value of one of Inspect's metrics."""
    return cast("MetricProtocol", metric)(scores)
