"""HellaSwag: which ending continues a text, where the wrong ones were written to fool language models.

Zellers et al. (2019), https://arxiv.org/abs/1905.07830
"""

import re
from typing import Any

from inspect_ai import Task, task

from openbench.tasks.mcq import MCQEval, MCQSample, labelled_split, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.labels import label_index
from openbench_mcq.metadata.knowledge import HELLASWAG


def cleaned(text: str) -> str:
    """Remove what WikiHow's pages leave in a text, as evaluation harnesses do.

    ` [title]` ends a sentence; any other mark in brackets (`[header]`, `[step]`, `[substeps]`) is dropped.
    """
    text = re.sub(r"\[.*?\]", "", text.strip().replace(" [title]", ". "))
    return text.replace("  ", " ").strip()


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the activity and the beginning of a text, and four endings."""
    context = cleaned(f"{row['activity_label']}: {row['ctx']}")
    options = [cleaned(ending) for ending in row["endings"]]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(f"{context}\n\nWhich ending continues this text?", options),
        target=target_letter(label_index(row, "label", ("0", "1", "2", "3")), options),
        metadata={"activity_label": row["activity_label"], "passage": row["source_id"]},
    )


@task
def hellaswag(split: str = "validation") -> Task:
    """HellaSwag: the most plausible ending of a text."""
    labelled_split("hellaswag", split, labelled=("train", "validation"), unlabelled=("test",))
    return MCQEval(name="hellaswag", record_to_mcq_sample=record_to_mcq_sample, **HELLASWAG.arguments(split=split))
