"""What a log says in one line: the score, how sure it is, and what did not go well."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from inspect_ai.log import EvalLog, EvalMetric, EvalSample, EvalScore, headline_metric

from openbench.run.logs import said_by
from openbench.run.messages import logged_message
from openbench.scorers.reasons import GRADER_FAILED, is_answered


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
        metric: The name of the headline metric.
        score: Its value; None if there is none.
        stderr: Its standard error, if the scorer reports one.
        metrics: All metrics by scorer and name.
        samples: How many samples (times epochs) were to run.
        completed: How many ran to their end.
        errors: How many ended in an error.
        first_error: The first of these errors.
        answered: The share of completed ones that hold an answer; None if the log has no samples.
        grader_failures: How many have no verdict that can be read; None likewise.
        input_tokens: Tokens read, over all models.
        output_tokens: Tokens written.
        seconds: Wall-clock time from start to end.
        log: Where the log is.
    """

    benchmark: str
    distribution: str | None = None
    version: str | None = None
    model: str
    status: str
    error: str | None = None
    metric: str | None = None
    score: float | None = None
    stderr: float | None = None
    metrics: dict[str, dict[str, float]] = field(default_factory=dict)
    samples: int = 0
    completed: int = 0
    errors: int = 0
    first_error: str | None = None
    answered: float | None = None
    grader_failures: int | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    log: str = ""


def summarize(log: EvalLog, *, newest: bool = False) -> Summary:
    """Read the figures of a log.

    Args:
        log: The log, with its samples.
        newest: Take the main metric of the score that was added last for the headline, not the benchmark's.
    """
    said = said_by(log)
    score, metric = _newest(log) if newest else _headline(log)
    stderr = score.metrics.get("stderr") if score else None
    usage = log.stats.model_usage.values()
    samples = log.samples or []
    # What an interrupt stopped is missing, not wrong.
    errors = [sample.error for sample in samples if sample.error and log.status != "cancelled"]
    results = log.results
    return Summary(
        benchmark=said.get("benchmark", log.eval.task),
        distribution=said.get("distribution"),
        version=said.get("version"),
        model=log.eval.model,
        status=log.status,
        error=logged_message(log.error) if log.error else None,
        metric=metric.name if metric else None,
        score=float(metric.value) if metric else None,
        stderr=float(stderr.value) if stderr else None,
        metrics=_metrics(results.scores if results else ()),
        samples=results.total_samples if results else _planned(log),
        completed=results.completed_samples if results else sum(sample.error is None for sample in samples),
        errors=len(errors),
        first_error=logged_message(errors[0]) if errors else None,
        answered=_answered_rate(samples) if samples else None,
        grader_failures=sum(map(_grader_failed, samples)) if samples else None,
        input_tokens=sum(used.input_tokens for used in usage),
        output_tokens=sum(used.output_tokens for used in usage),
        seconds=_seconds(log.stats.started_at, log.stats.completed_at),
        log=log.location,
    )


def _metrics(scores: Iterable[EvalScore]) -> dict[str, dict[str, float]]:
    """Return metrics by scorer: those over single epochs are an entry of their own under the scorer's name."""
    metrics: dict[str, dict[str, float]] = {}
    for each in scores:
        metrics.setdefault(each.name, {}).update({name: float(m.value) for name, m in each.metrics.items()})
    return metrics


def _headline(log: EvalLog) -> tuple[EvalScore | None, EvalMetric | None]:
    headline = headline_metric(log)
    return (headline.score, headline.metric) if headline else (None, None)


def _newest(log: EvalLog) -> tuple[EvalScore | None, EvalMetric | None]:
    score = log.results.scores[-1] if log.results and log.results.scores else None
    return score, next(iter(score.metrics.values()), None) if score else None


def _planned(log: EvalLog) -> int:
    return (log.eval.dataset.samples or 0) * (log.eval.config.epochs or 1)


def _answered_rate(samples: Iterable[EvalSample]) -> float | None:
    completed = [sample for sample in samples if sample.error is None]
    return sum(map(_answered, completed)) / len(completed) if completed else None


def _answered(sample: EvalSample) -> bool:
    scores = (sample.scores or {}).values()
    return bool(sample.output.completion.strip()) and all(map(is_answered, scores))


def _grader_failed(sample: EvalSample) -> bool:
    return any(score.reason == GRADER_FAILED for score in (sample.scores or {}).values())


def _seconds(start: str, end: str) -> float:
    if not start or not end:
        return 0.0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
