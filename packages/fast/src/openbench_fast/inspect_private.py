"""What is used of inspect-ai though it is not public, since nothing public does the same.

- Metrics: `inspect_ai.log.recompute_metrics` looks scorers' metrics up by name, and of two that share one takes the
  last that was imported, with arguments that went through JSON. A run has the metrics themselves.
- A sample's own state: without it `store()` in a scorer is one store for all samples, and `sample_state()` is None.
- Which distributions top-level packages come from: inspect reads it anew for each task, in a quarter of a second.

`test_inspect_private.py` watches that it is there and does so.
"""

from collections.abc import Collection, Iterable, Sequence

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Metric, SampleScore, Scorer, ScoreReducer, Target
from inspect_ai.solver import TaskState

from openbench.errors import OpenbenchError
from openbench.registry.versions import packages

try:
    from inspect_ai._eval.task.results import eval_results
    from inspect_ai._util import package
    from inspect_ai.scorer._score import init_scoring_context
    from inspect_ai.scorer._scorer import unique_scorer_name
    from inspect_ai.solver._task_state import set_sample_state
    from inspect_ai.util._store import init_subtask_store
except ImportError as error:
    raise OpenbenchError(
        f"this version of inspect-ai keeps what openbench-fast needs elsewhere ({error}). Install an earlier one, or a "
        "newer openbench-fast."
    ) from error

package.packages_distributions = packages  # type: ignore[attr-defined]

Metrics = list[Metric | dict[str, list[Metric]]] | dict[str, list[Metric]]
"""What summarizes scores, as a task or a scorer has it."""


def enter_sample(state: TaskState, scorers: Collection[Scorer], target: Target) -> None:
    """Make a sample the one of this context, for `store()`, `sample_state()`, `score()` and the cache's key."""
    set_sample_state(state)
    init_subtask_store(state.store)
    if scorers:
        init_scoring_context(list(scorers), target)


def scorer_names(scorers: Iterable[Scorer]) -> list[str]:
    """Return the names under which a log has the scores of scorers, which differ."""
    names: list[str] = []
    for scorer in scorers:
        names.append(unique_scorer_name(scorer, names))
    return names


def compute_results(
    log: EvalLog, scorers: Sequence[Scorer], metrics: Metrics | None, reducers: Sequence[ScoreReducer] | None
) -> None:
    """Compute a log's results and reductions as inspect does at the end of a run.

    Args:
        log: The log with its samples.
        scorers: What scored them, with the metrics that summarize their scores.
        metrics: The task's own, for scores that solvers gave.
        reducers: How epochs are reduced.

    Raises:
        Exception: Whatever a metric raises.
    """
    log.results, log.reductions = eval_results(
        samples=len(log.samples or ()),
        scores=[_scores(sample) for sample in log.samples or () if sample.error is None or sample.scores],
        reducers=list(reducers) if reducers is not None else None,
        scorers=list(scorers),
        metrics=metrics,
        scorer_names=scorer_names(scorers),
        headline_metric=log.eval.headline_metric,
    )


def _scores(sample: EvalSample) -> dict[str, SampleScore]:
    return {
        name: SampleScore(score=score, sample_id=sample.id, sample_metadata=sample.metadata)
        for name, score in (sample.scores or {}).items()
    }
