"""What all tasks of the package share: how they ask, and what they report."""

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
    """Build a task that asks for a program in one message, at the model's own temperature.

    Args:
        name: Its name.
        rows: The rows.
        to_sample: Returns the sample of a row, or several, or none.
        scorer: The scorer.
        attempts: How often each problem is asked. With several, pass@k is reported for k of 1, 5, 10, 100 and
            `attempts`, as far as there are so many, and a problem counts once in standard errors.
        groups: Keys of the samples' metadata, by each of which accuracy is reported as well.

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
    """Return the right answer of a sample whose target is a program."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"```python\n{target}\n```"
