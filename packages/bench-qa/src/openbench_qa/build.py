"""What all tasks of the package share: the form of an answer, how it is read, and how a task is put together."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Metric, Scorer, mean, stderr
from inspect_ai.solver import generate

from openbench.datasets import RowMapping, Rows, content_digest, load_samples
from openbench_scorers.means import by_group, clustered_stderr

CHAIN = (r"pattern:^[^\w\n]*answer[*_ ]*:[*_ ]*(?P<answer>\S.*?)[*_ ]*$", "announced", "text")
"""How an answer is read: the last line `Answer: …`, else what is announced (`the answer is …`), else all of it."""

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
    """Build a task that asks every question in one message, at the model's own temperature; F1 and exact match.

    Args:
        name: Its name.
        rows: The rows.
        to_sample: Returns the sample of a row, or none.
        scorer: The scorer, whose values are `f1` and `exact_match`.
        cluster: The key of the samples' metadata that names the cluster of a question, if they come in clusters.
        groups: Keys of the samples' metadata, by each of which both figures are reported as well.
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
    """Return the passage of a sample whose prompt is one of `reading`: what answers may stand in."""
    return str(sample.input).removeprefix(_PASSAGE).rpartition(_QUESTION)[0]


def passage_key(passage: str) -> Mapping[str, Any]:
    """Return the metadata that name a sample's passage, so that questions about one are a cluster."""
    return {"passage": content_digest(passage)[:16]}


def answered(sample: Sample) -> str:
    """Return the right completion of a sample, in the form that prompts ask for."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    return f"Answer: {target}"
