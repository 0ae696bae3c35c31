"""Social IQa: questions about what people feel, want and do in everyday situations.

Sap et al. (2019), https://arxiv.org/abs/1904.09728
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import SOCIAL_IQA
from openbench_mcq.passages import by_passage, passage_key
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The label numbers the three answers from 1."""
    options = [row["answerA"], row["answerB"], row["answerC"]]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(f"{row['context']}\n\n{row['question']}", options),
        target=target_letter(label_index(row, "label", ("1", "2", "3")), options),
        metadata=passage_key(row["context"]),
    )


@task
def social_iqa(split: str = "validation") -> Task:
    """Social IQa: common sense about people; the questions about a situation form a cluster."""
    labelled_split("social_iqa", split, labelled=("train", "validation"))
    return MCQEval(
        name="social_iqa",
        record_to_mcq_sample=record_to_mcq_sample,
        additional_metrics=by_passage(),
        **SOCIAL_IQA.arguments(split=split),
    )
