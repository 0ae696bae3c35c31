"""HellaSwag: the most plausible ending of a text; the wrong endings were written to fool language models.

Zellers et al. (2019), https://arxiv.org/abs/1905.07830
"""

import re
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample
from openbench_mcq.metadata.knowledge import HELLASWAG
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

GOLDENS = {"cloze": {"style": "cloze"}}


def cleaned(text: str) -> str:
    """Remove WikiHow's markers from a text, as evaluation harnesses do, and surrounding white space."""
    return unmarked(text).strip()


def unmarked(text: str) -> str:
    """Remove WikiHow's markers from a text, as lm-evaluation-harness does.

    ` [title]` becomes a full stop. Any other marker in brackets (`[header]`, `[step]`, `[substeps]`) is removed, but a
    space after it is kept.
    """
    return re.sub(r"\[.*?\]", "", text.strip().replace(" [title]", ". ")).replace("  ", " ")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: an activity, the beginning of a text, and four endings."""
    context = cleaned(f"{row['activity_label']}: {row['ctx']}")
    options = [cleaned(ending) for ending in row["endings"]]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(f"{context}\n\nWhich ending continues this text?", options),
        target=target_letter(label_index(row, "label", ("0", "1", "2", "3")), options),
        metadata=_metadata(row),
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness: the second sentence has one capital, its first letter."""
    context = unmarked(f"{row['activity_label']}: {row['ctx_a']} {row['ctx_b'].capitalize()}")
    correct = label_index(row, "label", ("0", "1", "2", "3"))
    return cloze_sample(context, [unmarked(ending) for ending in row["endings"]], correct, metadata=_metadata(row))


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    return {"activity_label": row["activity_label"], "passage": row["source_id"]}


@task
def hellaswag(split: str = "validation", style: Style = "letters") -> Task:
    """HellaSwag: choose the most plausible ending of a text.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
    """
    labelled_split("hellaswag", split, labelled=("train", "validation"), unlabelled=("test",))
    mapping = mapping_of("hellaswag", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name="hellaswag", record_to_mcq_sample=mapping, style=style, **HELLASWAG.arguments(split=split))
