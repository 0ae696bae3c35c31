"""Results of metrics as Inspect scores, and back."""

import math
from collections.abc import Mapping, Sequence

from inspect_ai.scorer import Score, value_to_float

from openbench.scorers.reasons import unscored
from openbench_authoring.responses import Error, MetricResult

_to_float = value_to_float()


def score_of(results: Sequence[MetricResult], name: str, keys: Sequence[str] | None) -> Score:
    """Return the score of results; with several keys, a key without a result is unscored.

    Raises:
        ValueError: A result has another name than the metric, or occurs twice.
    """
    names = [name] if keys is None else [f"{name}/{key}" for key in keys]
    values: dict[str, float] = {}
    for result in results:
        if result.metric_name not in names:
            way_out = "Name its figures in KEYS" if keys is None else "Correct KEYS"
            raise ValueError(
                f"it gives a result named {result.metric_name!r}, where {' and '.join(names)} is expected. {way_out}."
            )
        if result.metric_name in values:
            raise ValueError(f"it gives two results named {result.metric_name!r}")
        values[result.metric_name] = math.nan if result.value is None else float(result.value)
    explanation = "\n\n".join(filter(None, map(_explained, results))) or None
    if all(map(math.isnan, values.values())):
        return unscored(explanation or "the metric gives no result")
    if keys is None:
        return Score(value=values[name], explanation=explanation)
    by_key = {key: values.get(of, math.nan) for key, of in zip(keys, names, strict=True)}
    return Score(value=dict(by_key), explanation=explanation)


def one_value(score: Score, key: str) -> Score:
    """Return the score of one of several values; an unscored one unchanged."""
    return score.model_copy(update={"value": score.value[key]}) if isinstance(score.value, Mapping) else score


def results_of(score: Score, name: str, keys: Sequence[str] | None) -> list[MetricResult]:
    """Return the results of a score."""
    if keys is None:
        return [_result(score, name, score.value)]
    values = score.value if isinstance(score.value, Mapping) else {}
    return [_result(score, f"{name}/{key}", values.get(key, math.nan)) for key in keys]


def _result(score: Score, name: str, value: object) -> MetricResult:
    number = _to_float(value)  # type: ignore[arg-type]
    if math.isnan(number):
        error = Error(error_class=score.reason or "unscored", message=score.explanation or "")
        return MetricResult(metric_name=name, value=None, error=error)
    return MetricResult(metric_name=name, value=number)


def _explained(result: MetricResult) -> str:
    error = f"{result.error.error_class}: {result.error.message}" if result.error else None
    parts = (error, result.llm_judge_prompt, result.llm_judge_response, result.code_execution_trace)
    return "\n\n".join(filter(None, parts))
