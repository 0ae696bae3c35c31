"""The figures of a log: its headline metric, how certain that is, and what went wrong."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fnmatch import fnmatchcase
from math import isfinite, isinf, nan
from typing import Any

from inspect_ai.log import EvalLog, EvalMetric, EvalResults, EvalSample, EvalScore, EvalSpec, headline_metric
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Value

from openbench.run.identity import spec_count
from openbench.run.messages import located_message
from openbench.run.usage import attempts_of, running_seconds
from openbench.scorers.reasons import ERROR, GRADER_FAILED, REFUSED, is_answered, is_missing, stop_reason_of
from openbench.tasks.provenance import Provenance

MEAN = "mean"
LOWER_IS_BETTER = "lower_is_better"
"""The key of a scorer's metadata for metrics where lower is better: True, or the names of such metrics."""

SIGNATURES = "signatures"
"""The key of a task's metadata for what `Summary.signatures` shows."""

_MEANS = frozenset({"accuracy", MEAN})  # of the samples' scores; `stderr` is theirs
_LETTERS = {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0}
_BOOLEANS = frozenset({"yes", "true", "no", "false"})


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


@dataclass(kw_only=True)
class Summary:
    """One run in figures.

    Attributes:
        benchmark: The benchmark's name.
        distribution: The distribution that provides it; None for a local eval.
        version: That distribution's version.
        model: The model.
        status: `success`, `error`, `cancelled` or `started`.
        error: What ended the run, if anything did.
        tolerated: The failed samples at which the run ends, as `--fail-on-error` has it: a count, a share below 1, None
            or True for the first, False for none.
        error_sample: The id of the sample with that error, if it is a sample's.
        metric: The name of the headline metric; see `Headline`.
        higher_is_better: Its direction.
        score: Its value; None if there is none, not finite if the scores have no such mean.
        stderr: Its standard error, if the scorer reports one and there are several samples.
        metrics: All metrics by scorer and name; with several reducers of epochs, by `scorer/reducer`.
        signatures: Descriptions of metrics by the libraries that computed them, such as sacrebleu's for `corpus_bleu`,
            from the metadata of the log under this name.
        samples: How many samples (times epochs) were to run.
        completed: How many ran to their end.
        errors: How many ended in an error.
        first_error: The first of these errors.
        answered: The share of completed samples that hold an answer; None if the log has no samples.
        stop_reasons: How many samples have no complete answer, by what stopped it; see `openbench.scorers.reasons`.
        unscored: How many completed samples lack a score, or have one that is neither a finite number nor a grade; None
            if nothing was scored.
        first_unscored: The first of these, and its value instead of a score.
        grader_failures: How many of these have no readable verdict; None if the log has no samples.
        limits: How many samples reached a limit, by its kind (`token`, `time`, …); they are scored as they are.
        run_again: How many samples have failed attempts before the last one.
        retries: How many requests were sent again.
        waited: Seconds for which they waited before that, over all samples.
        input_tokens: Input tokens, over all models.
        output_tokens: Output tokens.
        cost: What these tokens cost, in the currency of the prices; None if a model has no price.
        seconds: For how long samples ran, without the pauses between the commands of a resumed run.
        log: Where the log is.
    """

    benchmark: str
    distribution: str | None = None
    version: str | None = None
    model: str
    status: str
    error: str | None = None
    tolerated: bool | float | None = None
    error_sample: str | int | None = None
    metric: str | None = None
    higher_is_better: bool = True
    score: float | None = None
    stderr: float | None = None
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    samples: int = 0
    completed: int = 0
    errors: int = 0
    first_error: str | None = None
    answered: float | None = None
    stop_reasons: dict[str, int] = field(default_factory=dict)
    unscored: int | None = None
    first_unscored: str | None = None
    grader_failures: int | None = None
    limits: dict[str, int] = field(default_factory=dict)
    run_again: int = 0
    retries: int = 0
    waited: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    log: str = ""


def summarize(log: EvalLog, cost: Callable[[EvalLog], float | None] | None = None) -> Summary:
    """Read the figures of a log, with its samples; `cost` computes what its tokens cost."""
    provenance, headline, results = Provenance.of(log), headline_of(log), log.results
    scores = results.scores if results else []
    usage = log.stats.model_usage.values()
    summary = Summary(
        benchmark=provenance.benchmark or log.eval.task,
        distribution=provenance.distribution,
        version=provenance.version,
        model=log.eval.model,
        status=log.status,
        error=located_message(log.error) if log.error else None,
        tolerated=log.eval.config.fail_on_error,
        metric=headline.name if headline else None,
        higher_is_better=headline is None or headline.higher_is_better,
        score=headline.value if headline else None,
        stderr=headline.stderr if headline else None,
        metrics=_metrics(scores),
        signatures=dict((log.eval.metadata or {}).get(SIGNATURES) or {}),
        samples=results.total_samples if results else spec_count(log.eval),
        input_tokens=sum(used.input_tokens for used in usage),
        output_tokens=sum(used.output_tokens for used in usage),
        cost=cost(log) if cost else None,
        log=log.location,
    )
    seconds = running_seconds(_counted(log, scores, summary))
    summary.seconds = provenance.seconds or seconds or _seconds(log.stats.started_at, log.stats.completed_at)
    if results:
        summary.completed = results.completed_samples
    if summary.grader_failures is None and scores:  # a log without its samples still counts these
        summary.unscored = max(each.unscored_samples or 0 for each in scores)
    return summary


def _counted(log: EvalLog, scores: Sequence[EvalScore], summary: Summary) -> Iterator[EvalSample]:
    """Yield the samples of a log, which may be read from a file, and count them in its summary as they pass."""
    # The scorers that have metrics, and whether one of these is a mean of values.
    averaged = {each.scorer: not _MEANS.isdisjoint(each.metrics) for each in scores}
    all_unscored = answered = grader_failures = 0
    scored = bool(scores)
    for sample in log.samples or ():
        if sample.error is None:
            summary.completed += 1
            answered += is_answered_sample(sample)
        elif log.status != "cancelled":  # what an interrupt stopped is missing, not wrong
            summary.errors += 1
            summary.first_error = summary.first_error or f"sample {sample.id!r}: {located_message(sample.error)}"
            if summary.error_sample is None and log.error and sample.error.message == log.error.message:
                summary.error_sample = sample.id
        if problem := _unscored(sample, averaged):
            all_unscored += 1
            summary.first_unscored = summary.first_unscored or problem
        if reason := ERROR if sample.error else stop_reason_of(sample.output):
            summary.stop_reasons[reason] = summary.stop_reasons.get(reason, 0) + 1
        if sample.limit:
            summary.limits[sample.limit.type] = summary.limits.get(sample.limit.type, 0) + 1
        attempts = attempts_of(sample)
        scored |= bool(sample.scores)
        grader_failures += any(score.reason == GRADER_FAILED for score in (sample.scores or {}).values())
        summary.run_again += bool(sample.error_retries)
        summary.retries += attempts.get("retries", 0)
        summary.waited += attempts.get("waited", 0.0)
        summary.answered = answered / summary.completed if summary.completed else None
        summary.grader_failures = grader_failures
        summary.unscored = all_unscored if scored else None
        yield sample


def _metrics(scores: Sequence[EvalScore]) -> dict[str, dict[str, float]]:
    """Return metrics by scorer, by `scorer/reducer` with several reducers, by `scorer/key` if scorers share a key."""
    several = len({each.reducer for each in scores if each.reducer}) > 1
    metrics: dict[str, dict[str, float]] = {}
    for each in scores:
        shared = any(other.name == each.name and other.scorer != each.scorer for other in scores)
        name = f"{each.scorer}/{each.name}" if shared else each.name
        scorer = f"{name}/{each.reducer}" if several and each.reducer else name
        metrics.setdefault(scorer, {}).update(metric_values(each))
    return metrics


def is_answered_sample(sample: EvalSample) -> bool:
    """Return whether a sample that ended without an error holds an answer: one that a scorer at least could read.

    Tool calls are an answer, also without any text.
    """
    scores = (sample.scores or {}).values()
    called = bool(sample.output.choices) and sample.output.message.tool_calls
    given = (sample.output.completion.strip() or called) and not is_missing(sample.output)
    return bool(given) and stop_reason_of(sample.output) != REFUSED and (not scores or any(map(is_answered, scores)))


def score_of(sample: EvalSample, headline: Headline | None) -> float | None:
    """Return the score behind a headline, without one that of the first scorer; None if it is not a number."""
    scores = sample.scores or {}
    score = scores.get(headline.scorer if headline else "") or next(iter(scores.values()), None)
    value = score.value if score else None
    if isinstance(value, dict):
        key = headline.key if headline else None
        value = next((part for name, part in value.items() if fnmatchcase(name, key or "")), None)
    if isinstance(value, str):
        return _LETTERS.get(value)
    return float(value) if isinstance(value, int | float) and isfinite(value) else None


def _unscored(sample: EvalSample, averaged: Mapping[str, bool]) -> str | None:
    """Return a message about the missing or invalid scores of a completed sample; None if it has all."""
    scores = sample.scores or {}
    for name in () if sample.error else dict.fromkeys([*averaged, *scores]):
        if name not in scores:
            return f"{sample.id}: nothing from {name}"
        if _not_finite(scores[name]):
            default = "it gives no explanation" if scores[name].reason else str(scores[name].value)
            explanation = (scores[name].explanation or "").strip().splitlines() or [default]
            return ": ".join(filter(None, [str(sample.id), scores[name].reason, explanation[0]]))
        if averaged.get(name) and not _is_grade(scores[name].value):
            return f"{sample.id}: {scores[name].value!r} from {name} is not a grade, and counts as 0"
    return None


def _is_grade(value: Value) -> bool:
    """Return whether Inspect's means have a value for a text; any other text counts as 0."""
    if not isinstance(value, str) or value in _LETTERS or value.lower() in _BOOLEANS:
        return True
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def _not_finite(score: Score) -> bool:
    """Return whether a score is not a finite number; several values, if one is infinite or all are NaN."""
    value = score.value
    parts = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else [value]
    odd = [part for part in parts if isinstance(part, float) and not isfinite(part)]
    return any(map(isinf, odd)) or 0 < len(odd) == len(parts)


def _seconds(start: str, end: str) -> float:
    if not start or not end:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
