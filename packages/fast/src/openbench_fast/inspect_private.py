"""All uses of inspect-ai's private API. No public API does the same.

- Metrics: `inspect_ai.log.recompute_metrics` looks up scorers' metrics by name. If two share a name, it takes the one
  imported last, with arguments read from JSON. A run has the metrics themselves.
- A sample's state: without it, `store()` in a scorer is one store for all samples, and `sample_state()` is None.
- The distributions of top-level packages: Inspect reads them again for each task, in a quarter of a second.

`test_inspect_private.py` checks that these exist and behave in this way.
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
        f"openbench-fast does not work with this version of inspect-ai ({error}). Install an earlier inspect-ai, or "
        "a newer openbench-fast."
    ) from error

package.packages_distributions = packages  # type: ignore[attr-defined]

Metrics = list[Metric | dict[str, list[Metric]]] | dict[str, list[Metric]]
"""The metrics of a task or a scorer."""


def enter_sample(state: TaskState, scorers: Collection[Scorer], target: Target) -> None:
    """Make a sample the current one of this context, for `store()`, `sample_state()`, `score()` and the cache key."""
    set_sample_state(state)
    init_subtask_store(state.store)
    if scorers:
        init_scoring_context(list(scorers), target)


def scorer_names(scorers: Iterable[Scorer]) -> list[str]:
    """Return the unique names under which a log lists the scores of scorers."""
    names: list[str] = []
    for scorer in scorers:
        names.append(unique_scorer_name(scorer, names))
    return names


def compute_results(
    log: EvalLog, scorers: Sequence[Scorer], metrics: Metrics | None, reducers: Sequence[ScoreReducer] | None
) -> None:
    """Compute a log's results and reductions as Inspect does at the end of a run.

    Args:
        log: The log with its samples.
        scorers: The scorers, with their metrics.
        metrics: The task's own metrics, for scores set by solvers.
        reducers: How epochs are reduced.

    Raises:
        Exception: A metric raised it.
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
