"""SciQ: crowdsourced science exam questions, asked without their supporting passage.

Welbl et al. (2017), https://arxiv.org/abs/1707.06209
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, shuffled_options, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import SCIQ

ANSWERS = ("correct_answer", "distractor1", "distractor2", "distractor3")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the dataset gives the right answer in a column of its own, so the order is ours."""
    options, correct = shuffled_options([row[column] for column in ANSWERS], 0, key=row["question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(correct, options),
    )


@task
def sciq(split: str = "test") -> Task:
    """SciQ: science exam questions from the classroom."""
    labelled_split("sciq", split, labelled=("train", "validation", "test"))
    return MCQEval(name="sciq", record_to_mcq_sample=record_to_mcq_sample, **SCIQ.arguments(split=split))
