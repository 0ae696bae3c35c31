"""The figures of a log: its score, how certain that is, and what went wrong."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite, isinf

from inspect_ai.log import EvalError, EvalLog, EvalSample, EvalScore
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, Score, Value

from openbench.run.headline import headline_of, metric_values
from openbench.run.messages import located_message
from openbench.run.planned import planned_samples
from openbench.run.prices import Price
from openbench.run.stop_reasons import ERROR, REFUSED, stop_reason_of
from openbench.run.usage import attempts_of, running_seconds
from openbench.scorers.reasons import GRADER_FAILED, is_answered, is_missing
from openbench.tasks.provenance import Provenance

_AVERAGES = frozenset({"accuracy", "mean"})
_GRADES = frozenset({CORRECT, INCORRECT, PARTIAL, NOANSWER})
_BOOLEANS = frozenset({"yes", "true", "no", "false"})


@dataclass(frozen=True, kw_only=True)
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
    provenance = Provenance.of(log)
    headline = headline_of(log)
    usage = log.stats.model_usage.values()
    results = log.results
    scores = results.scores if results else []
    counts = _Counts({each.scorer: not _AVERAGES.isdisjoint(each.metrics) for each in scores})
    seconds = running_seconds(map(counts.add, log.samples or ()))
    # What an interrupt stopped is missing, not wrong.
    errors = counts.errors if log.status != "cancelled" else []
    # A log without its samples still counts them.
    unscored = max((each.unscored_samples or 0 for each in scores), default=0) if not counts.all else counts.unscored
    ended_by = (of for of, error in errors if log.error and error.message == log.error.message)
    return Summary(
        benchmark=provenance.benchmark or log.eval.task,
        distribution=provenance.distribution,
        version=provenance.version,
        model=log.eval.model,
        status=log.status,
        error=located_message(log.error) if log.error else None,
        tolerated=log.eval.config.fail_on_error,
        error_sample=next(ended_by, None),
        metric=headline.name if headline else None,
        higher_is_better=headline is None or headline.higher_is_better,
        score=headline.value if headline else None,
        stderr=headline.stderr if headline else None,
        metrics=_metrics(scores),
        samples=results.total_samples if results else planned_samples(log.eval),
        completed=results.completed_samples if results else counts.completed,
        errors=len(errors),
        first_error=f"sample {errors[0][0]!r}: {located_message(errors[0][1])}" if errors else None,
        answered=counts.answered / counts.completed if counts.completed else None,
        stop_reasons=dict(counts.stop_reasons),
        unscored=unscored if scores or counts.scored else None,
        first_unscored=counts.first_unscored,
        grader_failures=counts.grader_failures if counts.all else None,
        limits=dict(counts.limits),
        run_again=counts.run_again,
        retries=counts.retries,
        waited=counts.waited,
        input_tokens=sum(used.input_tokens for used in usage),
        output_tokens=sum(used.output_tokens for used in usage),
        cost=_cost(log, prices or {}),
        seconds=provenance.seconds or seconds or _seconds(log.stats.started_at, log.stats.completed_at),
        log=log.location,
    )


@dataclass
class _Counts:
    """What a summary counts of samples, in one pass, since they may be read from a file.

    Attributes:
        averaged: The scorers that have metrics, and whether one of these is a mean of values.
        errors: The ids of samples that ended in an error, and the errors.
    """

    averaged: Mapping[str, bool]
    all: int = 0
    completed: int = 0
    answered: int = 0
    scored: bool = False
    unscored: int = 0
    first_unscored: str | None = None
    grader_failures: int = 0
    run_again: int = 0
    retries: int = 0
    waited: float = 0.0
    errors: list[tuple[str | int, EvalError]] = field(default_factory=list)
    stop_reasons: Counter[str] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)

    def add(self, sample: EvalSample) -> EvalSample:
        """Count a sample, and return it."""
        self.all += 1
        if sample.error:
            self.errors.append((sample.id, sample.error))
        else:
            self.completed += 1
            self.answered += is_answered_sample(sample)
        if unscored := _unscored(sample, self.averaged):
            self.unscored += 1
            self.first_unscored = self.first_unscored or unscored
        if reason := ERROR if sample.error else stop_reason_of(sample.output):
            self.stop_reasons[reason] += 1
        if sample.limit:
            self.limits[sample.limit.type] += 1
        attempts = attempts_of(sample)
        self.scored |= bool(sample.scores)
        self.grader_failures += any(score.reason == GRADER_FAILED for score in (sample.scores or {}).values())
        self.run_again += bool(sample.error_retries)
        self.retries += attempts.retries
        self.waited += attempts.waited
        return sample


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
