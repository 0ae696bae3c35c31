"""Headline metrics that are not means of the samples' scores, such as BLEU: recomputed from some of the samples."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose, isfinite
from typing import Any, Protocol, runtime_checkable

import fsspec
from inspect_ai import Epochs
from inspect_ai.log import EvalLog, headline_metric, read_eval_log_samples
from inspect_ai.scorer import Metric, SampleScore, Score, mean_score
from inspect_ai.util import registry_create
from pydantic import BaseModel

from openbench.errors import LogError
from openbench.run.messages import plain_message

Id = str | int
Statistic = Callable[[Sequence[float]], float]

_CLOSE = 1e-9
_NOT_READ = {"attachments", "events", "events_data", "messages", "output", "store", "timelines"}


@runtime_checkable
class SummedMetric(Protocol):
    """A metric that is a function of sums over the samples, so that thousands of resamples take a moment.

    `corpus_bleu` of openbench-scorers is one: of the n-grams that match and that there are, and of both lengths.
    """

    def summed(self, scores: Sequence[SampleScore]) -> tuple[Sequence[Sequence[float]], Statistic]:
        """Return a row of k numbers for each score, and the function from the sums of rows, k numbers, to the metric.

        Args:
            scores: The scores, at least one.
        """


@dataclass(frozen=True)
class Recomputed:
    """A headline metric and the scores that it is computed from.

    Attributes:
        name: The metric's name.
        metric: The metric.
        key: Which of the metric's values it is, if it has several.
        scores: The scores of each sample by its id: one, or one for each epoch.
    """

    name: str
    metric: Metric
    key: str | None
    scores: Mapping[Id, Sequence[SampleScore]] = field(repr=False)

    def value(self, scores: Sequence[SampleScore]) -> float:
        """Compute the metric of some scores; NaN if it has no such value."""
        return _value(self.metric(list(scores)), self.key)  # type: ignore[arg-type]

    def summed(self, scores: Sequence[SampleScore]) -> tuple[Sequence[Sequence[float]], Statistic] | None:
        """Return the rows and the function of a `SummedMetric`; None of another."""
        return self.metric.summed(scores) if isinstance(self.metric, SummedMetric) else None


def recompute(log: EvalLog) -> Recomputed:
    """Create the headline metric of a log again, with the scores of its samples.

    Args:
        log: The log's header.

    Raises:
        LogError: The metric is not installed, or gives another value than the log has.
    """
    found = headline_metric(log)
    if found is None or log.results is None:
        raise LogError(f"{log.location} has no scores.")
    metric, score = found.metric, found.score
    short = (metric.group or metric.name).rpartition("/")[2]
    key = metric.name if metric.group else None
    named = list(_created(log, score.scorer, short))
    if not named:
        raise LogError(f"the metric {short} of {log.location} is not installed, so that it cannot be computed anew.")
    scores = _scores(log.location, score.scorer, None if score.name == score.scorer else score.name)
    for made in named:
        for given in (_reduced(scores, score.reducer), scores):
            again = Recomputed(short, made, key, given)
            if isclose(_quietly(again), metric.value, rel_tol=_CLOSE, abs_tol=_CLOSE):
                return again
    raise LogError(f"the metric {short} of {log.location} gives another value than the log has when computed anew.")


def _created(log: EvalLog, scorer: str, short: str) -> Iterator[Metric]:
    """Yield the metrics of a name that a log's task or scorer has, created from their names and options."""
    of_scorer = [each.metrics for each in log.eval.scorers or () if _is_called(each.name, scorer)]
    for definition in definitions([log.eval.metrics, *of_scorer]):
        if definition.name.rpartition("/")[2] == short:
            try:
                made: Any = registry_create("metric", definition.name, **(definition.options or {}))
            except (LookupError, TypeError, ValueError):
                continue
            yield made


def definitions(held: Iterable[Any]) -> Iterator[Any]:
    """Yield the metrics that the header of a log holds: lists, groups by the key of a score's values, or None."""
    for metrics in held:
        if isinstance(metrics, dict | list):
            yield from definitions(metrics.values() if isinstance(metrics, dict) else metrics)
        elif metrics:
            yield metrics


def _is_called(name: str, scorer: str) -> bool:
    """Return whether a scorer is called so in a log's results: the second of two `match` is `match1` there."""
    return scorer.startswith(name.rpartition("/")[2])


class _Sample(BaseModel):
    """The part of a sample that a metric is computed from."""

    id: str | int
    metadata: dict[str, Any] = {}
    scores: dict[str, Score] | None = None


class _Log(BaseModel):
    samples: list[_Sample] | None = None


def _scores(location: str, scorer: str, key: str | None) -> dict[Id, list[SampleScore]]:
    """Return the scores of a scorer, those that are not NaN, by the sample's id; of several values, that of a key."""
    scores: dict[Id, list[SampleScore]] = {}
    for sample in _samples(location):
        score = (sample.scores or {}).get(scorer)
        value: Any = score.value if score else None
        if key is not None and isinstance(value, dict):
            value = value.get(key)
        if score is None or value is None or (isinstance(value, float) and not isfinite(value)):
            continue
        own = score.model_copy(update={"value": value})
        made = SampleScore(score=own, sample_id=sample.id, sample_metadata=sample.metadata, scorer=scorer)
        scores.setdefault(sample.id, []).append(made)
    return scores


def _samples(location: str) -> Iterator[Any]:
    try:
        if location.endswith(".eval"):
            yield from read_eval_log_samples(location, all_samples_required=False, exclude_fields=_NOT_READ)
            return
        with fsspec.open(location, "rb") as file:
            yield from _Log.model_validate_json(file.read()).samples or ()
    except Exception as error:
        raise LogError(f"{location}: its samples cannot be read: {plain_message(error)}") from error


def _reduced(scores: Mapping[Id, Sequence[SampleScore]], reducer: str | None) -> dict[Id, list[SampleScore]]:
    """Return the score of each sample, its epochs reduced as Inspect does."""
    made = Epochs(1, reducer).reducer if reducer else None
    reduce = made[0] if made else mean_score()
    return {
        id_: [of[0].model_copy(update={"score": reduce([each.score for each in of])})] for id_, of in scores.items()
    }


def _quietly(again: Recomputed) -> float:
    try:
        return again.value([score for of in again.scores.values() for score in of])
    except Exception:  # noqa: BLE001 - a metric of any package, given scores that may not be its own
        return float("nan")


def _value(result: Any, key: str | None) -> float:
    value = result.get(key) if isinstance(result, Mapping) else result if key is None else None
    return float(value) if isinstance(value, int | float) else float("nan")
