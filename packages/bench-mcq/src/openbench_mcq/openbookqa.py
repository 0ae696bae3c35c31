"""OpenBookQA: elementary science questions, asked without the book.

Mihaylov et al. (2018), https://arxiv.org/abs/1809.02789
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import OPENBOOKQA


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the stem of a sentence or a question, and four choices."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question_stem"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
    )


@task
def openbookqa(split: str = "test") -> Task:
    """OpenBookQA: elementary science questions that need a fact and common knowledge."""
    labelled_split("openbookqa", split, labelled=("train", "validation", "test"))
    return MCQEval(name="openbookqa", record_to_mcq_sample=record_to_mcq_sample, **OPENBOOKQA.arguments(split=split))
