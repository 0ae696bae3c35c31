"""The results of an assembled log, computed as Inspect does at the end of a run."""

from collections.abc import Sequence
from typing import NamedTuple

from inspect_ai import Epochs, Task
from inspect_ai.log import EvalLog, EvalResults, recompute_metrics
from inspect_ai.scorer import Scorer, ScoreReducer

from openbench.run.plan import Plan
from openbench_fast.failure import error_of
from openbench_fast.inspect_private import Metrics, compute_results


class Scoring(NamedTuple):
    """How results are computed from scores.

    Attributes:
        scorers: The scorers, with their metrics; empty if samples are not scored.
        metrics: The task's own metrics, for scores set by solvers.
        reducers: How epochs are reduced; Inspect's default if None.
    """

    scorers: Sequence[Scorer]
    metrics: Metrics | None = None
    reducers: Sequence[ScoreReducer] | None = None


def scoring_of(task: Task, plan: Plan) -> Scoring:
    """Return how results are computed from a task's scores under a plan."""
    scored = plan.options.get("score", True)
    asked = plan.options.get("epochs_reducer")
    reducers = Epochs(1, asked).reducer if asked else task.epochs_reducer
    return Scoring(task.scorer or () if scored else (), task.metrics, reducers)


def add_results(log: EvalLog, planned: int, completed: int, scoring: Scoring | None) -> None:
    """Add results and reductions to a log with samples; if a metric fails, add its error.

    As in Inspect, a log has no results if the run failed or no sample was completed.

    Args:
        log: The log.
        planned: The number of planned samples.
        completed: The number of samples that ended without an error.
        scoring: How they are computed. If None, metrics are looked up by the names in the log, which is correct if
            these are unique and arguments survive JSON.
    """
    if log.error or not (completed or any(sample.scores for sample in log.samples or ())):
        return
    try:
        _compute(log, scoring)
    except Exception as failure:  # noqa: BLE001 - a metric may raise anything; the samples are kept
        log.status, log.error = "error", error_of(failure)
        return
    log.results = log.results or EvalResults()
    log.results.total_samples = planned
    log.results.completed_samples = completed


def _compute(log: EvalLog, scoring: Scoring | None) -> None:
    if scoring is None:
        if any(sample.scores for sample in log.samples or ()):
            recompute_metrics(log)
        return
    compute_results(log, scoring.scorers, scoring.metrics, scoring.reducers)
