"""The figures of a log: its score, how certain that is, and what went wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite, isinf

from inspect_ai.log import EvalLog, EvalSample, EvalScore
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Value

from openbench.run.headline import headline_of, metric_values
from openbench.run.messages import located_message
from openbench.run.prices import Price
from openbench.run.sample_keys import spec_count
from openbench.run.stop_reasons import ERROR, REFUSED, stop_reason_of
from openbench.run.usage import attempts_of, running_seconds
from openbench.scorers.reasons import GRADER_FAILED, is_answered, is_missing
from openbench.tasks.provenance import Provenance

_AVERAGES = frozenset({"accuracy", "mean"})
_GRADES = frozenset({CORRECT, INCORRECT, PARTIAL, NOANSWER})
_BOOLEANS = frozenset({"yes", "true", "no", "false"})


@dataclass(kw_only=True)
class Summary:
    """One run in figures.

    Attributes:
        benchmark: The benchmark's name.
        distribution: Who provided it; None for a local eval.
        version: That distribution's version.
        model: The model.
        status: `success`, `error`, `cancelled` or `started`.
        error: What ended the run, if anything did.
        tolerated: The failed samples at which the run ends, as `--fail-on-error` has it: a count, a share below 1, None
            or True for the first, False for none.
        error_sample: The id of the sample with that error, if it is a sample's.
        metric: The headline metric; see `openbench.run.headline`.
        higher_is_better: Its direction.
        score: Its value; None if there is none, not finite if the scores have no such mean.
        stderr: Its standard error, if the scorer reports one and there are several samples.
        metrics: All metrics by scorer and name; with several reducers of epochs, by `scorer/reducer`.
        samples: How many samples (times epochs) were to run.
        completed: How many ran to their end.
        errors: How many ended in an error.
        first_error: The first of these errors.
        answered: The share of completed samples that hold an answer; None if the log has no samples.
        stop_reasons: How many samples have no complete answer, by what stopped it; see `openbench.run.stop_reasons`.
        unscored: How many completed samples lack a score, or have one that is neither a finite number nor a grade; None
            if nothing was scored.
        first_unscored: The first of these, and what it has instead of a score.
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


def summarize(log: EvalLog, prices: Mapping[str, Price] | None = None) -> Summary:
    """Read the figures of a log, with its samples; its cost by the prices of models."""
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
        samples=results.total_samples if results else spec_count(log.eval),
        input_tokens=sum(used.input_tokens for used in usage),
        output_tokens=sum(used.output_tokens for used in usage),
        cost=_cost(log, prices or {}),
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
    averaged = {each.scorer: not _AVERAGES.isdisjoint(each.metrics) for each in scores}
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
        summary.retries += attempts.retries
        summary.waited += attempts.waited
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
    """Return whether a sample that ended without an error holds an answer: one that a scorer at least could read."""
    scores = (sample.scores or {}).values()
    given = sample.output.completion.strip() and not is_missing(sample.output)
    return bool(given) and stop_reason_of(sample.output) != REFUSED and (not scores or any(map(is_answered, scores)))


def _unscored(sample: EvalSample, averaged: Mapping[str, bool]) -> str | None:
    """Return what a completed sample has instead of a score of each scorer; None if it has them."""
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
    """Return whether Inspect has a value for a text in a mean: any other counts as 0."""
    if not isinstance(value, str) or value in _GRADES or value.lower() in _BOOLEANS:
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


def _cost(log: EvalLog, prices: Mapping[str, Price]) -> float | None:
    used = log.stats.model_usage
    if not used or not used.keys() <= prices.keys():
        return None
    return sum(prices[model].of(each) for model, each in used.items())


def _seconds(start: str, end: str) -> float:
    if not start or not end:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
