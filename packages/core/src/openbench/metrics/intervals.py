"""How sure a mean is: clustered standard errors and intervals."""

import math
from typing import cast

from inspect_ai.scorer import Metric, SampleScore, Value, ci, ci_wilson, metric, stderr

from openbench.checks import is_number
from openbench.errors import UsageError
from openbench.metrics.figures import computed, figure, held

_CLUSTER = "cluster"


@metric
def clustered_stderr(cluster: str) -> Metric:
    """Report the standard error of the mean where samples come in clusters, such as questions about one passage.

    With n samples in G clusters, it is sqrt(G / (G - 1) * sum over clusters of (sum of deviations)^2) / n. Samples
    whose metadata lack the key are clusters of their own. With fewer than two clusters it is NaN.

    Source: Miller 2024, Adding error bars to evals, arXiv 2411.00640, appendix A, with the finite-cluster correction;
    computed by inspect's `stderr`.

    Args:
        cluster: The key of the samples' metadata that names the cluster.

    Raises:
        UsageError: The key is no text, or empty.
    """
    key: object = cluster
    if not isinstance(key, str) or not key:
        raise UsageError(f"clustered_stderr: cluster={cluster!r}: expected a key of the samples' metadata.")

    def calculate(scores: list[SampleScore]) -> Value:
        named = [_in_cluster(score, cluster, number) for number, score in enumerate(scores)]
        if len({score.sample_metadata[_CLUSTER] for score in named if score.sample_metadata}) <= 1:
            return math.nan
        return computed(stderr(cluster=_CLUSTER), named)

    return calculate


@metric
def wilson(level: float = 0.95) -> Metric:
    """Report the Wilson interval of the mean: `wilson_lower` and `wilson_upper`, from 0 to 1.

    It holds for shares, also for few samples and near 0 or 1; for other values between 0 and 1, such as means over
    epochs, it is no narrower than it should be. Where a score is beyond 0 and 1, or there are none, both are NaN.

    Source: Wilson 1927, Probable inference, the law of succession, and statistical inference, JASA 22; computed by
    inspect's `ci_wilson`.

    Args:
        level: The confidence level.

    Raises:
        UsageError: The level is no number between 0 and 1.
    """
    check_level(level)

    def calculate(scores: list[SampleScore]) -> Value:
        lower, upper = _wilson(scores, level) if _are_shares(scores) else (math.nan, math.nan)
        return {"wilson_lower": lower, "wilson_upper": upper}

    return calculate


def interval_of(scores: list[SampleScore], level: float) -> tuple[float, float]:
    """Return the interval of the mean that suits the scores.

    Returns:
        Lower and upper bound: Wilson's if all scores lie between 0 and 1, else Student's t; NaN where there is none,
        of no scores or of a single one beyond 0 and 1.
    """
    if _are_shares(scores):
        return _wilson(scores, level)
    return _bounds(computed(ci(level), scores)) if len(scores) > 1 else (math.nan, math.nan)


def check_level(level: float) -> None:
    """Check a confidence level.

    Raises:
        UsageError: It is no number between 0 and 1.
    """
    if not is_number(level) or not 0 < level < 1:
        raise UsageError(f"level={level!r}: expected a number between 0 and 1, such as 0.95.")


def _are_shares(scores: list[SampleScore]) -> bool:
    return bool(scores) and all(0 <= figure(score) <= 1 for score in scores)


def _wilson(scores: list[SampleScore], level: float) -> tuple[float, float]:
    return _bounds(computed(ci_wilson(level), scores))


def _bounds(interval: Value) -> tuple[float, float]:
    bounds = cast("dict[str, float]", interval)
    return float(bounds["lower"]), float(bounds["upper"])


def _in_cluster(score: SampleScore, key: str, number: int) -> SampleScore:
    value = held(score, key)
    cluster = f"#{number}" if value is None else repr(value)
    return score.model_copy(update={"sample_metadata": {_CLUSTER: cluster}})
