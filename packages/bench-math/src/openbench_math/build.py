"""Shared parts of all tasks: prompts, metrics, and the metrics over several attempts."""

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.scorer import Metric, Scorer, accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import RowMapping, Rows, load_samples
from openbench_scorers.majority import maj_at_k
from openbench_scorers.means import by_group, clustered_stderr
from openbench_scorers.passing import pass_at_k

ATTEMPTS = 16
"""The number of epochs for small datasets: with 30 questions, a single epoch has a standard error of up to 9 points."""

NUMBER_PROMPT = """\
{question}

Think step by step. Put the final answer on the last line, as a number alone: "Answer: NUMBER"."""

BOXED_PROMPT = """\
{question}

Work through the problem step by step. Give the final answer in \\boxed{{}}."""

INTEGER_PROMPT = """\
{question}

Work through the problem step by step. The answer is an integer from 0 to 999. Give it in \\boxed{{}}."""


def math_task(
    name: str,
    rows: Rows,
    to_sample: RowMapping,
    scorer: Scorer,
    *,
    cluster: str | None = None,
    groups: Sequence[str] = (),
    attempts: int = 1,
) -> Task:
    """Build a task that asks every question in one message, at the model's default temperature.

    Args:
        name: The name of the task.
        rows: The rows of the dataset.
        to_sample: Converts a row to its samples.
        scorer: The scorer.
        cluster: The key of the samples' metadata that names the cluster of a question, if they come in clusters.
        groups: Keys of the samples' metadata by which accuracy is also reported.
        attempts: The default number of epochs. Several attempts are also reported as pass@k and maj@k, and the standard
            error and the interval are computed from the means per question, so a question counts once.
    """
    metrics: list[Metric | dict[str, list[Metric]]] = [accuracy(), stderr()]
    if cluster or attempts > 1:
        metrics.append(clustered_stderr(cluster or "question"))
    if attempts > 1:
        metrics += [pass_at_k([1, 4, attempts]), maj_at_k([4, attempts])]
    return Task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        solver=generate(),
        scorer=scorer,
        metrics=[*metrics, *map(by_group, groups)],
        epochs=attempts,
    )


def boxed_reference(sample: Any) -> str:
    """Return the reference completion of a sample with a boxed answer."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"\\boxed{{{target}}}"
