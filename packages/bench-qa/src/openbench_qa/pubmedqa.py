"""PubMedQA: answer the question in a paper's title with yes, no or maybe, from its abstract without the conclusion.

Jin et al. (2019), https://arxiv.org/abs/1909.06146
"""

import json
from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows, read_text
from openbench.metadata import DatasetSource
from openbench_qa.build import answered, passage_of, reading
from openbench_qa.metadata import PUBMEDQA, PUBMEDQA_TEST
from openbench_scorers.macro_f1 import macro_f1 as label_scorer
from openbench_scorers.macro_f1 import mean_f1
from openbench_scorers.means import by_group

LABELS = ("yes", "no", "maybe")

_INSTRUCTION = """\
Answer with yes, no or maybe, on the last line: "Answer: ANSWER"."""

reference = answered
passage = passage_of


@task
def pubmedqa() -> Task:
    """PubMedQA: the 500 questions of the authors' test set, with the abstracts of their papers."""
    test = frozenset(row["pubid"] for row in read_rows(_IDS, fetch=_test_ids).rows)

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [pubmedqa_sample(row)] if row["pubid"] in test else []

    return Task(
        name="pubmedqa",
        dataset=load_samples(read_rows(PUBMEDQA), to_samples, name="pubmedqa"),
        solver=generate(),
        scorer=label_scorer(LABELS),
        metrics=[accuracy(), stderr(), mean_f1(), by_group("label")],
    )


def pubmedqa_sample(row: dict[str, Any]) -> Sample:
    """Map a row: the sections of the abstract with their headings, and the decision of two annotators."""
    context = row["context"]
    parts = zip(context["labels"], context["contexts"], strict=True)
    text = "\n\n".join(f"{label}: {part}" for label, part in parts)
    return Sample(
        id=row["pubid"],
        input=reading(text, row["question"], _INSTRUCTION),
        target=row["final_decision"],
        metadata={"label": row["final_decision"]},
    )


# The sample rows list their test ids in a file with this split's name.
_IDS = DatasetSource(source=PUBMEDQA_TEST.source, type="json", split="test_ids", sha256=PUBMEDQA_TEST.sha256)


def _test_ids() -> Sequence[dict[str, Any]]:
    """Return the ids of the authors' test set, whose file maps each id to its label."""
    return [{"pubid": int(pubid)} for pubid in json.loads(read_text(PUBMEDQA_TEST))]
