"""Shared parts of all tasks: the form of an answer, its extraction, and the construction of a task."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, Scorer, mean, stderr
from inspect_ai.solver import generate

from openbench.datasets import RowMapping, Rows, content_digest, load_samples
from openbench_scorers.means import by_group, clustered_stderr

CHAIN = (r"pattern:^[^\w\n]*answer[*_ ]*:[*_ ]*(?P<answer>\S.*?)[*_ ]*$", "announced", "text")
"""Where an answer is read: the last line `Answer: …`, else an announcement (`the answer is …`), else the whole text."""

_PASSAGE, _QUESTION = "Passage:\n", "\n\nQuestion: "


def qa_task(
    name: str,
    rows: Rows,
    to_sample: RowMapping,
    scorer: Scorer,
    *,
    cluster: str | None = None,
    groups: Sequence[str] = (),
) -> Task:
    """Build a task that asks every question in one message, at the model's default temperature.

    Args:
        name: The name of the task.
        rows: The rows of the dataset.
        to_sample: Converts a row to its samples.
        scorer: The scorer, whose values are `f1` and `exact_match`.
        cluster: The key of the samples' metadata that names the cluster of a question, if they come in clusters.
        groups: Keys of the samples' metadata by which both metrics are also reported.
    """

    def metrics() -> list[Metric]:
        clustered = [clustered_stderr(cluster)] if cluster else []
        return [mean(), stderr(), *clustered, *map(by_group, groups)]

    return Task(
        name=name,
        dataset=load_samples(rows, to_sample, name=name),
        solver=generate(),
        scorer=scorer,
        metrics={"f1": metrics(), "exact_match": metrics()},
    )


def reading(passage: str, question: str, instruction: str) -> str:
    """Return the prompt of a question about a passage."""
    return f"{_PASSAGE}{passage}{_QUESTION}{question}\n\n{instruction}"


def passage_of(sample: Sample) -> str:
    """Return the passage of a sample whose prompt was written by `reading`; it may contain the answer."""
    return str(sample.input).removeprefix(_PASSAGE).rpartition(_QUESTION)[0]


def passage_key(passage: str) -> Mapping[str, Any]:
    """Return the metadata that identify a sample's passage, so that questions about it form a cluster."""
    return {"passage": content_digest(passage)[:16]}


def answered(sample: Sample) -> str:
    """Return the reference completion of a sample, in the form that the prompts ask for."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"Answer: {target}"
