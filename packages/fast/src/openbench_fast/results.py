"""The results of a log that is assembled: what inspect computes at the end of a run, of all samples that there are."""

from collections.abc import Sequence
from typing import NamedTuple

from inspect_ai import Epochs, Task
from inspect_ai.log import EvalLog, EvalResults, recompute_metrics
from inspect_ai.scorer import Scorer, ScoreReducer

from openbench.run.plan import Plan
from openbench_fast.failure import error_of
from openbench_fast.inspect_private import Metrics, compute_results


class Scoring(NamedTuple):
    """What makes results of scores.

    Attributes:
        scorers: What scored the samples, with their metrics; none if they are not scored.
        metrics: The task's own, for scores that solvers gave.
        reducers: How epochs are reduced; inspect's default if None.
    """

    scorers: Sequence[Scorer]
    metrics: Metrics | None = None
    reducers: Sequence[ScoreReducer] | None = None


def scoring_of(task: Task, plan: Plan) -> Scoring:
    """Return what makes results of a task's scores under a plan."""
    scored = plan.options.get("score", True)
    asked = plan.options.get("epochs_reducer")
    reducers = Epochs(1, asked).reducer if asked else task.epochs_reducer
    return Scoring(task.scorer or () if scored else (), task.metrics, reducers)


def add_results(log: EvalLog, planned: int, scoring: Scoring | None) -> None:
    """Put results and reductions into a log that has its samples; if a metric fails, its error.

    As inspect has it, a run that failed, and one of which no sample came to its end, have no results.

    Args:
        log: The log.
        planned: How many samples it was to have.
        scoring: What makes them. Without it, metrics are looked up by the names that the log has, which is right where
            no two have one name, and their arguments are what JSON has.
    """
    if log.error or not any(sample.error is None or sample.scores for sample in log.samples or ()):
        return
    try:
        _compute(log, scoring)
    except Exception as failure:  # noqa: BLE001 - whatever a benchmark's metric raises; its samples are kept
        log.status, log.error = "error", error_of(failure)
        return
    log.results = log.results or EvalResults()
    log.results.total_samples = planned
    log.results.completed_samples = sum(sample.error is None for sample in log.samples or ())


def _compute(log: EvalLog, scoring: Scoring | None) -> None:
    if scoring is None:
        if any(sample.scores for sample in log.samples or ()):
            recompute_metrics(log)
        return
    compute_results(log, scoring.scorers, scoring.metrics, scoring.reducers)
