"""WinoGrande: which of two nouns fills the blank of a sentence.

Sakaguchi et al. (2019), https://arxiv.org/abs/1907.10641
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import WINOGRANDE

BLANK = "_"


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a sentence with a blank, and what may fill it.

    Raises:
        ValueError: The sentence has no blank, so that the options answer nothing.
    """
    sentence, options = row["sentence"], [row["option1"], row["option2"]]
    if BLANK not in sentence:
        raise ValueError(f"sentence: no blank {BLANK!r} in {sentence!r}")
    question = f"{sentence}\n\nWhat belongs in the blank ({BLANK})?"
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, options),
        target=target_letter(label_index(row, "answer", ("1", "2")), options),
    )


@task
def winogrande(split: str = "validation") -> Task:
    """WinoGrande: pronoun resolution by common sense."""
    labelled_split("winogrande", split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(name="winogrande", record_to_mcq_sample=record_to_mcq_sample, **WINOGRANDE.arguments(split=split))
