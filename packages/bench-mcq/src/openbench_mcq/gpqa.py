"""GPQA Diamond: questions of biology, chemistry and physics that experts answer and skilled others do not.

Rein et al. (2023), https://arxiv.org/abs/2311.12022
"""

from typing import Any

from inspect_ai import Task, task

from openbench.prompts import create_dynamic_multiple_choice_prompt
from openbench.tasks.mcq import MCQEval, MCQSample, shuffled_options, target_letter
from openbench_mcq.metadata import GPQA_DIAMOND

ANSWERS = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the file gives the right answer in a column of its own, so the order is ours."""
    options = [row[column].strip() for column in ANSWERS]
    options, correct = shuffled_options(options, 0, key=row["Question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["Question"].strip(), options),
        target=target_letter(correct, options),
        id=row["Record ID"],
        metadata={"domain": row["High-level domain"], "subdomain": row["Subdomain"]},
    )


@task
def gpqa_diamond() -> Task:
    """GPQA Diamond: graduate-level science, with accuracy by domain and subdomain."""
    return MCQEval(
        name="gpqa_diamond",
        record_to_mcq_sample=record_to_mcq_sample,
        group_keys=["domain", "subdomain"],
        **GPQA_DIAMOND.arguments(),
    )
