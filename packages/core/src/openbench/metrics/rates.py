"""Rates: the shares of answered and of unscored samples, and macro F1, in which each label counts the same."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from inspect_ai.log import EvalScore
from inspect_ai.scorer import Metric, SampleScore, Value, metric

from openbench.errors import UsageError
from openbench.metrics.means import mean_of
from openbench.scorers.reasons import is_answered

GOLD_KEY = "gold"
"""The key of a score's metadata that holds the correct label; its answer is the model's label."""


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


@metric(scores="unreduced")
def macro_f1(labels: Sequence[str] | None = None) -> Metric:
    """Report the mean of the labels' F1, from 0 to 1, higher is better; every epoch counts by itself.

    It reads the model's label from a score's `answer`, and the right one from its `metadata["gold"]`; scores without
    the latter are left out. See `macro_f1_of` for the definition.

    Args:
        labels: The labels to average over; by default those that are right for some sample.

    Raises:
        UsageError: The list of labels is empty.
    """
    if labels is not None and not labels:
        raise UsageError("macro_f1: labels=[]: expected at least one label, or None for all that occur.")

    def calculate(scores: list[SampleScore]) -> Value:
        pairs = [
            (str(score.score.metadata[GOLD_KEY]), score.score.answer)
            for score in scores
            if score.score.metadata and score.score.metadata.get(GOLD_KEY) is not None
        ]
        return macro_f1_of(pairs, labels)

    return calculate


def macro_f1_of(pairs: Iterable[tuple[str, str | None]], labels: Sequence[str] | None = None) -> float:
    """Return the mean over labels of F1 = 2 * true positives / (2 * true positives + false positives + misses).

    Args:
        pairs: The right label and the one that was given for each sample; None if none was given, which is a miss of
            the right label and a false positive of none.
        labels: The labels to average over; by default those that are right for some sample. A label given that is not
            among them makes its sample a miss, and has no F1 of its own.

    Returns:
        A value from 0 to 1; a label that is neither right nor given anywhere has an F1 of 0, and without labels the
        mean is NaN.
    """
    pairs = list(pairs)
    right = Counter(gold for gold, _ in pairs)
    given = Counter(label for _, label in pairs)
    hits = Counter(gold for gold, label in pairs if gold == label)
    names = sorted(right) if labels is None else list(dict.fromkeys(labels))
    return mean_of([_ratio(2 * hits[name], right[name] + given[name]) for name in names])


def _ratio(numerator: int, denominator: int) -> float:
    return numerator / denominator if denominator else 0.0
