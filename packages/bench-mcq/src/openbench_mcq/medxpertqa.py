"""MedXpertQA Text: questions from medical board exams with ten options each.

Zuo et al. (2025), https://arxiv.org/abs/2501.18362
"""

import re
from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import MEDXPERTQA
from openbench_scorers.labels import label_index, target_letter

_CHOICES = re.compile(r"\s*Answer Choices:\s*\(A\).*\Z", re.DOTALL)


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. Its question repeats the options on one line, which is removed."""
    letters = sorted(letter for letter, text in row["options"].items() if text is not None)
    options = [row["options"][letter] for letter in letters]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(_CHOICES.sub("", row["question"]), options),
        target=target_letter(label_index(row, "label", letters), options),
        id=row["id"],
        metadata={name: row[name] for name in ("medical_task", "body_system", "question_type")},
    )


@task
def medxpertqa() -> Task:
    """Answer questions from medical exams, with accuracy by task, body system and question type."""
    return MCQEval(
        name="medxpertqa",
        record_to_mcq_sample=record_to_mcq_sample,
        group_keys=["medical_task", "body_system", "question_type"],
        **MEDXPERTQA.arguments(),
    )
