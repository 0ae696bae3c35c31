"""PIQA: which of two ways reaches an everyday physical goal.

Bisk et al. (2020), https://arxiv.org/abs/1911.11641
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import PIQA


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: mirrors of the dataset hold the label as a number or as its text."""
    question = f"Goal: {row['goal']}\n\nWhich solution reaches the goal?"
    options = [row["sol1"], row["sol2"]]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, options),
        target=target_letter(label_index(row, "label", ("0", "1")), options),
    )


@task
def piqa(split: str = "validation") -> Task:
    """PIQA: common sense about physical things."""
    labelled_split("piqa", split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(name="piqa", record_to_mcq_sample=record_to_mcq_sample, **PIQA.arguments(split=split))
