"""MedMCQA: questions from Indian medical entrance exams, by subject.

Pal et al. (2022), https://arxiv.org/abs/2203.14371
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import MEDMCQA
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

OPTIONS = ("opa", "opb", "opc", "opd")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. `cop` counts from 0 and identifies one option, even if `choice_type` is `multi`."""
    options = [row[column] for column in OPTIONS]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "cop", ("0", "1", "2", "3")), options),
        id=row["id"],
        metadata={"subject_name": row["subject_name"], "topic_name": row["topic_name"]},
    )


@task
def medmcqa(split: str = "validation") -> Task:
    """MedMCQA: medical knowledge, with accuracy by subject."""
    labelled_split("medmcqa", split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(
        name="medmcqa",
        record_to_mcq_sample=record_to_mcq_sample,
        group_keys=["subject_name"],
        **MEDMCQA.arguments(split=split),
    )
