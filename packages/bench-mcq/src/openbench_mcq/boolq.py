"""BoolQ: yes or no questions that people asked a search engine, each with a passage that answers it.

Clark et al. (2019), https://arxiv.org/abs/1905.10044
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import BOOLQ
from openbench_mcq.passages import by_passage, passage_key

OPTIONS = ("Yes", "No")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the passage, then the question, which the dataset writes without a question mark."""
    question = f"{row['passage']}\n\nQuestion: {row['question'].rstrip('? ')}?"
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, OPTIONS),
        target=target_letter(label_index(row, "answer", ("True", "False")), OPTIONS),
        metadata=passage_key(row["passage"]),
    )


@task
def boolq(split: str = "validation") -> Task:
    """BoolQ: yes or no questions about a passage; the questions about one are a cluster."""
    labelled_split("boolq", split, labelled=("train", "validation"))
    return MCQEval(
        name="boolq",
        record_to_mcq_sample=record_to_mcq_sample,
        additional_metrics=by_passage(),
        **BOOLQ.arguments(split=split),
    )
