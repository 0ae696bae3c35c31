"""The headline metric of a run, which tables show: its name, value and direction."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

from inspect_ai.log import EvalLog, EvalMetric, EvalResults, EvalScore, EvalSpec, headline_metric

from openbench.tasks.provenance import Provenance

MEAN = "mean"
LOWER_IS_BETTER = "lower_is_better"
"""The key of a scorer's metadata for metrics where lower is better: True, or the names of such metrics."""

_MEANS = frozenset({"accuracy", MEAN})  # of the samples' scores; `stderr` is theirs


@dataclass(frozen=True)
class Headline:
    """One metric of a run.

    Attributes:
        metric: The metric's name, prefixed with the key if a score has several values, and with the scorer if several
            scorers report it: `accuracy`, `is_valid_json/mean`, `match/accuracy`.
        reducer: What reduces a sample's epochs to one score, such as `pass@2`.
        scorer: The scorer that reports it.
        key: The key of its values, if a score has several; it may be a pattern, such as `*`, before there are results.
        value: Its value; NaN before there are results.
        stderr: Its standard error, if the scorer reports one of more than a single sample.
        is_mean: Whether it is a mean of the samples' scores.
        higher_is_better: Its direction.
    """

    metric: str
    scorer: str
    reducer: str = MEAN
    key: str | None = None
    value: float = nan
    stderr: float | None = None
    is_mean: bool = True
    higher_is_better: bool = True

    @property
    def name(self) -> str:
        """The metric, and its reducer unless that is the mean, as in `accuracy pass@2`."""
        return self.metric if self.reducer == MEAN else f"{self.metric} {self.reducer}"

    @property
    def label(self) -> str:
        """The name, with an arrow if lower is better."""
        return labelled(self.name, higher_is_better=self.higher_is_better)


def labelled(name: str, *, higher_is_better: bool) -> str:
    """Return a metric's name, with an arrow if lower is better."""
    return name if higher_is_better else f"{name} ↓"


def headline_of(log: EvalLog) -> Headline | None:
    """Return the headline of a log: what its task, benchmark or last scoring names, else its first metric.

    With several reducers of epochs, it is that of the first.
    """
    found = headline_metric(log)
    if found is None or log.results is None:
        return None
    score, metric = found.score, found.name
    path, others = _path(score, metric), [each for each in log.results.scores if each.scorer != score.scorer]
    if any(metric in each.metrics and _path(each, metric) == path for each in others):
        path = [score.scorer, *(part for part in path if part != score.scorer)]
    stderr = metric_values(score).get("stderr" if metric in _MEANS else f"{metric}_stderr", nan)
    errors = (score.metadata or {}).get(LOWER_IS_BETTER, ())
    return Headline(
        metric="/".join(path),
        reducer=(score.reducer or MEAN).replace("pass_at_", "pass@").replace("pass_hat_", "pass^"),
        scorer=score.scorer,
        key=None if score.name == score.scorer else score.name,
        value=float(found.metric.value),
        stderr=stderr if isfinite(stderr) else None,
        is_mean=metric in _MEANS,
        higher_is_better=Provenance.of(log).higher_is_better
        and not (errors is True or (isinstance(errors, list | tuple) and {score.name, metric} & {*errors})),
    )


def metric_values(score: EvalScore) -> dict[str, float]:
    """Return a scorer's metrics; the standard error of a single sample, which Inspect logs as 0, is NaN."""
    figures = {name: float(metric.value) for name, metric in score.metrics.items()}
    return figures | {"stderr": nan} if "stderr" in figures and score.scored_samples == 1 else figures


def expected_headline(spec: EvalSpec) -> Headline | None:
    """Return the headline that a run will have, without its value, from the header of its log; None without scorers."""
    reducer = next(iter(spec.config.epochs_reducer or ()), None)
    scores = [each for scorer in spec.scorers or () for each in _scores(scorer, reducer)]
    return headline_of(EvalLog(eval=spec, results=EvalResults(scores=scores)))


def _path(score: EvalScore, metric: str) -> list[str]:
    """Return the parts of a metric's name: the name alone, unless the score has several values or it is `mean`."""
    return [metric] if score.name == score.scorer and metric != MEAN else [score.name, metric]


def _scores(scorer: Any, reducer: str | None) -> Iterator[EvalScore]:
    """Yield the results that a scorer will have, without values."""
    name = scorer.name.rpartition("/")[2]
    groups = [scorer.metrics] if isinstance(scorer.metrics, dict) else scorer.metrics or []
    plain = [each for each in groups if not isinstance(each, dict)]
    keyed = [pair for each in groups if isinstance(each, dict) for pair in each.items()]
    for key, metrics in [*([(name, plain)] if plain else []), *keyed]:
        values = {each.name.rpartition("/")[2]: EvalMetric(name=each.name, value=nan) for each in metrics}
        yield EvalScore(name=key, scorer=name, reducer=reducer, metrics=values, metadata=scorer.metadata)
