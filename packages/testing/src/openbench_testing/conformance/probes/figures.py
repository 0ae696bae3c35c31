"""Reads the results that rules compare from a log."""

from collections.abc import Mapping

from inspect_ai.event import ModelEvent
from inspect_ai.log import EvalLog, EvalSample, EvalScore, headline_metric
from inspect_ai.scorer import value_to_float

from openbench.run.summary import summarize
from openbench.scorers.mcq import lettered_options
from openbench_testing.conformance.evidence import Run, Shown

_to_float = value_to_float()


def run_of(log: EvalLog) -> Run:
    """Return a log's results."""
    summary = summarize(log)
    headline = headline_metric(log)
    score = headline.score if headline else None
    return Run(
        error=summary.error or summary.first_error,
        metric=summary.metric,
        score=summary.score,
        answered=summary.answered,
        unscored=(score.unscored_samples or 0) if score else 0,
        metrics={f"{scorer}/{name}": value for scorer, of in summary.metrics.items() for name, value in of.items()},
        values=[(str(sample.id), _value(sample, score)) for sample in log.samples or ()] if score else [],
    )


def shown_of(log: EvalLog, passages: Mapping[str, str]) -> list[Shown]:
    """Return the first prompt of each sample, without the passages, by id."""
    return [_shown(sample, passages.get(str(sample.id), "")) for sample in log.samples or ()]


def _shown(sample: EvalSample, passage: str) -> Shown:
    messages = next((event.input for event in sample.events if isinstance(event, ModelEvent)), None)
    if messages is None:
        messages = [message for message in sample.messages if message.role != "assistant"]
    prompt = messages[-1].text if messages else ""
    texts = [message.text for message in messages if message.role in {"system", "user"}]
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    options = lettered_options(prompt, sample.choices, targets)
    text = "\n".join(texts)
    if passage:
        text = text.replace(passage, "\n")
    return Shown(id=str(sample.id), text=text, targets=targets, options=len(options))


def _value(sample: EvalSample, headline: EvalScore) -> float | None:
    scores = sample.scores or {}
    score = scores.get(headline.scorer) or scores.get(headline.name)
    if score is None:
        return None
    value = score.value.get(headline.name) if isinstance(score.value, dict) else score.value
    return _to_float(value) if isinstance(value, str | int | float | bool) else None
