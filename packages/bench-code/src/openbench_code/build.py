"""Shared parts of all tasks: the solver, the epochs and the metrics."""

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.scorer import Metric, Scorer, accuracy, stderr

from openbench.datasets import RowMapping, Rows, load_samples
from openbench.errors import UsageError
from openbench_code.scorer import write_code
from openbench_scorers.means import by_group, clustered_stderr
from openbench_scorers.passing import pass_at_k

_KS = (1, 5, 10, 100)


def code_task(
    name: str, rows: Rows, to_sample: RowMapping, scorer: Scorer, *, attempts: int = 1, groups: Sequence[str] = ()
) -> Task:
    """Build a task that asks for a program in one message, at the model's default temperature.

    Args:
        name: The name of the task.
        rows: The rows of the dataset.
        to_sample: Converts a row to its samples.
        scorer: The scorer.
        attempts: The number of epochs. With several, pass@k is reported for `attempts` and each smaller k of 1, 5, 10
            and 100, and each problem counts once in standard errors.
        groups: Keys of the samples' metadata by which accuracy is also reported.

    Raises:
        UsageError: `attempts` is below 1.
    """
    if attempts < 1:
        raise UsageError(f"{name}: attempts={attempts}: expected a whole number of 1 or more.")
    metrics: list[Metric | dict[str, list[Metric]]] = [accuracy(), stderr()]
    if attempts > 1:
        metrics += [clustered_stderr("problem"), pass_at_k(sorted({k for k in _KS if k < attempts} | {attempts}))]
    return Task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        solver=write_code(),
        scorer=scorer,
        metrics=[*metrics, *map(by_group, groups)],
        epochs=attempts,
    )


def solution(sample: Any) -> str:
    """Return the reference completion of a sample whose target is a program."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"```python\n{target}\n```"
