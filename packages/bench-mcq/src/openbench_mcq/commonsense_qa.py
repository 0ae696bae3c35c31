"""CommonsenseQA: questions about everyday concepts, with five choices that are all related to the concept.

Talmor et al. (2019), https://arxiv.org/abs/1811.00937
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import COMMONSENSE_QA


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
        metadata={"question_concept": row["question_concept"]},
    )


@task
def commonsense_qa(split: str = "validation") -> Task:
    """CommonsenseQA: questions that need everyday knowledge."""
    labelled_split("commonsense_qa", split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(
        name="commonsense_qa",
        record_to_mcq_sample=record_to_mcq_sample,
        **COMMONSENSE_QA.arguments(split=split),
    )
