"""Scores responses with the filters and metrics of a task of lm-evaluation-harness."""

import copy
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from openbench.errors import OpenbenchError
from openbench_harnesses.lm_eval_requests import RESPONSES

_VALUES = "lm_eval_values"
_UNFILTERED = "none"
_RESAMPLES = 1000


def harness_scorer(harness: Any, requests: Mapping[int, Sequence[Any]]) -> Scorer:
    """Return the scorer of a task.

    A sample's score contains the numeric values. Its metadata contains all values, since some metrics are computed from
    pairs, such as a log-probability and a number of words.

    Args:
        harness: The task.
        requests: Its requests by sample id.
    """

    @metric(name=f"{harness.task_name}_metrics")
    def aggregated() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float]:
            return _aggregated(harness, [(score.score.metadata or {})[_VALUES] for score in scores])

        return compute

    @scorer(name="lm_eval", metrics=[aggregated()])
    def scored() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - the task reads it from the document
            values = _values(harness, requests[int(state.sample_id)], _responses(harness, state))
            # numpy's numbers are Real as well
            numbers = {name: float(value) for name, value in values.items() if isinstance(value, Real)}
            return Score(value=numbers, answer=state.output.completion, metadata={_VALUES: _plain(values)})

        return score

    return scored()


def _responses(harness: Any, state: TaskState) -> Sequence[Sequence[Any]]:
    """Return the responses to each request of a sample.

    Raises:
        OpenbenchError: There are none, or the task counts greedy answers and the model does not report them.
    """
    stored = state.output.metadata or {}
    if harness.OUTPUT_TYPE == "generate_until":
        return list(stored.get(RESPONSES) or [[state.output.completion]])  # a baseline answers once
    if "loglikelihood" in stored:  # the log-likelihood of the whole text
        return [[stored["loglikelihood"]]]
    if RESPONSES not in stored:
        raise OpenbenchError(
            f"sample {state.sample_id!r} has no log-probabilities. Use the baseline `random`, which has them."
        )
    if harness.OUTPUT_TYPE == "loglikelihood" and any(greedy is None for ((_, greedy),) in stored[RESPONSES]):
        raise OpenbenchError(
            f"{state.model} does not report whether a text is its greedy answer, which the metric requires."
        )
    return [[(loglikelihood, bool(greedy))] for ((loglikelihood, greedy),) in stored[RESPONSES]]


def _values(harness: Any, instances: Sequence[Any], responses: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return the value of each metric, keyed by `metric`, or by `metric,filter` if the task has filters."""
    answered = []
    for instance, own in zip(instances, responses, strict=True):
        each = copy.copy(instance)
        each.resps = list(own)
        each.filtered_resps = {}
        answered.append(each)
    if not hasattr(harness, "_filters"):  # without filters, the harness takes the first response
        filtered = {_UNFILTERED: [each.resps[0] for each in answered]}
    else:
        # The public `apply_filters` needs the responses of all samples, but samples are scored one by one.
        for ensemble in harness._filters:  # noqa: SLF001
            ensemble.apply(answered)
        filtered = {name: [each.filtered_resps[name] for each in answered] for name in answered[0].filtered_resps}
    return {
        name if key == _UNFILTERED else f"{name},{key}": value
        for key, results in filtered.items()
        for name, value in harness.process_results(answered[0].doc, results).items()
    }


def _aggregated(harness: Any, samples: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return each metric over samples and, if the harness has a formula for it, its standard error."""
    from lm_eval.api.metrics import mean, stderr_for_metric  # noqa: PLC0415 - only this harness's environment has it

    results: dict[str, float] = {}
    for key in dict.fromkeys(name for values in samples for name in values):
        values = [each[key] for each in samples if key in each]
        aggregate = harness.aggregation().get(key.partition(",")[0], mean)
        results[key] = float(aggregate(values))
        error = stderr_for_metric(aggregate, bootstrap_iters=_RESAMPLES) if len(values) > 1 else None
        if error:
            results[_with_suffix(key)] = float(error(values))
    return results


def _with_suffix(key: str) -> str:
    name, comma, of_filter = key.partition(",")
    return f"{name}_stderr{comma}{of_filter}"


def _plain(value: Any) -> Any:
    """Return a value as JSON data: numpy's numbers and arrays become Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
