"""PubMedQA: does an abstract, without its conclusion, answer its title's question with yes, no or maybe?

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
    """PubMedQA: the 500 questions that the authors test on, with the abstracts that they come from."""
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
    """Map a row: the parts of the abstract under their headings, and what two annotators decided."""
    context = row["context"]
    parts = zip(context["labels"], context["contexts"], strict=True)
    text = "\n\n".join(f"{label}: {part}" for label, part in parts)
    return Sample(
        id=row["pubid"],
        input=reading(text, row["question"], _INSTRUCTION),
        target=row["final_decision"],
        metadata={"label": row["final_decision"]},
    )


# Sample rows have a file of this name for the ids among them.
_IDS = DatasetSource(source=PUBMEDQA_TEST.source, type="json", split="test_ids", sha256=PUBMEDQA_TEST.sha256)


def _test_ids() -> Sequence[dict[str, Any]]:
    """Return the ids that the authors' own evaluation asks for: their file maps each to its label."""
    return [{"pubid": int(pubid)} for pubid in json.loads(read_text(PUBMEDQA_TEST))]
