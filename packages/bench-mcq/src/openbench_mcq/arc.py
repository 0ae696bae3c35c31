"""ARC: grade-school science questions, in an easy set and a challenge set.

Clark et al. (2018), https://arxiv.org/abs/1803.05457
"""

from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import ARC_CHALLENGE, ARC_EASY

SPLITS = ("train", "validation", "test")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: three to five choices, labelled by letters or, in some rows, by digits."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
    )


@task
def arc_easy(split: str = "test") -> Task:
    """ARC-Easy: science questions that simple retrieval or co-occurrence of words can answer."""
    labelled_split("arc_easy", split, labelled=SPLITS)
    return MCQEval(name="arc_easy", record_to_mcq_sample=record_to_mcq_sample, **ARC_EASY.arguments(split=split))


@task
def arc_challenge(split: str = "test") -> Task:
    """ARC-Challenge: science questions that neither retrieval nor co-occurrence of words answers."""
    labelled_split("arc_challenge", split, labelled=SPLITS)
    return MCQEval(
        name="arc_challenge",
        record_to_mcq_sample=record_to_mcq_sample,
        **ARC_CHALLENGE.arguments(split=split),
    )
