"""TruthfulQA (MC1): questions that people often answer falsely, with one true answer among the choices.

Lin et al. (2021), https://arxiv.org/abs/2109.07958
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, shuffled_options, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import TRUTHFULQA_MC1


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the dataset lists the true answer first, always, so the order is ours.

    Raises:
        ValueError: Not exactly one choice is true.
    """
    choices, labels = row["mc1_targets"]["choices"], row["mc1_targets"]["labels"]
    if labels.count(1) != 1:
        raise ValueError(f"mc1_targets: {labels.count(1)} choices are true, where one is expected")
    options, correct = shuffled_options(choices, labels.index(1), key=row["question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(correct, options),
    )


@task
def truthfulqa_mc1() -> Task:
    """TruthfulQA, single true choice: whether a model repeats what people falsely believe."""
    return MCQEval(name="truthfulqa_mc1", record_to_mcq_sample=record_to_mcq_sample, **TRUTHFULQA_MC1.arguments())
