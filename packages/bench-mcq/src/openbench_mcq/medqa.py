"""MedQA: questions in the style of the United States medical licensing exam, with four options.

Jin et al. (2020), https://arxiv.org/abs/2009.13081
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import MEDQA
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

LETTERS = ("A", "B", "C", "D")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: options by letter, and the step of the exam in `meta_info`."""
    options = [row["options"][letter] for letter in LETTERS]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answer_idx", LETTERS), options),
        metadata={"step": row["meta_info"]},
    )


@task
def medqa(split: str = "test") -> Task:
    """MedQA: clinical cases in the style of the medical licensing exam."""
    labelled_split("medqa", split, labelled=("train", "test"))
    return MCQEval(name="medqa", record_to_mcq_sample=record_to_mcq_sample, **MEDQA.arguments(split=split))
