"""Scores completions with a benchmark's task, through Inspect."""

import math
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - inspect's name
from inspect_ai.log import EvalSample, headline_metric
from inspect_ai.model import get_model
from inspect_ai.scorer import value_to_float
from inspect_ai.solver import Generate, Solver, TaskState, solver

from openbench.baselines.reference import answered
from openbench.errors import OpenbenchError
from openbench.registry.benchmark import Benchmark
from openbench.tasks.build import build_task
from openbench_testing.fidelity.adapter import Verdict

_to_float = value_to_float()


@solver
def recorded(completions: dict[str, list[str]]) -> Solver:
    """Answer each epoch of a sample with one of its completions; after the last one, with an empty text."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = completions[str(state.sample_id)]
        return answered(state, own[state.epoch - 1] if state.epoch <= len(own) else "")

    return solve


def scored(
    benchmark: Benchmark, completions: Sequence[Sequence[str]], log_dir: str
) -> list[list[tuple[str, Verdict, str]]]:
    """Return the sample, verdict and answer of each completion of each row that the task reads.

    Raises:
        OpenbenchError: Rows and samples do not correspond one to one, or a completion cannot be scored.
    """
    task: Task = build_task(benchmark, {})
    ids = [str(sample.id) for sample in task.dataset]
    if len(ids) != len(completions):
        raise OpenbenchError(f"{benchmark.key}: {len(completions)} rows give {len(ids)} samples; expected one each.")
    task.solver = recorded({id_: [*own] for id_, own in zip(ids, completions, strict=True)})
    task.epochs, task.epochs_reducer = max(map(len, completions)), None
    options: dict[str, Any] = {"display": "none", "log_realtime": False, "score_display": False, "ctl_server": False}
    roles: dict[str, Any] = {"grader": "baseline/grader"}
    (log,) = eval(task, model=get_model("baseline/reference"), model_roles=roles, log_dir=log_dir, **options)
    if log.error or not log.samples:
        raise OpenbenchError(f"{benchmark.key}: {log.error.message if log.error else 'no sample was scored'}")
    headline = headline_metric(log)
    scorer = headline.score.scorer if headline else ""
    by_epoch = {(str(sample.id), sample.epoch): sample for sample in log.samples}
    return [
        [_of(by_epoch[id_, epoch], scorer) for epoch in range(1, len(own) + 1)]
        for id_, own in zip(ids, completions, strict=True)
    ]


def _of(sample: EvalSample, scorer: str) -> tuple[str, Verdict, str]:
    scores = sample.scores or {}
    score = scores.get(scorer) or next(iter(scores.values()), None)
    if score is None:
        raise OpenbenchError(f"the sample {sample.id} has no score: {sample.error.message if sample.error else ''}")
    if isinstance(score.value, dict):
        verdict: Verdict = {name: _to_float(value) for name, value in score.value.items() if value is not None}
    else:
        number = _to_float(score.value)
        verdict = None if math.isnan(number) else number
    return str(sample.id), verdict, score.answer or ""
