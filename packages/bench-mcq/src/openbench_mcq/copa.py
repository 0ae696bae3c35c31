"""COPA: the cause or the effect of a situation.

Roemmele et al. (2011), as in SuperGLUE: Wang et al. (2019), https://arxiv.org/abs/1905.00537
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQRecord, Style
from openbench_mcq.cloze import cloze_sample
from openbench_mcq.metadata.language import COPA
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index
from openbench_scorers.selection import labelled_split

_QUESTIONS = {"cause": "What was the cause of this?", "effect": "What happened as a result?"}
_CONNECTORS = {"cause": "because", "effect": "therefore"}
GOLDENS = {"cloze": {"style": "cloze"}}


def copa_record(row: dict[str, Any]) -> MCQRecord:
    """Map a row, which asks for a cause or an effect."""
    return MCQRecord(
        question=f"{row['premise']} {_QUESTIONS[row['question']]}",
        options=[row["choice1"], row["choice2"]],
        correct=label_index(row, "label", ("0", "1")),
    )


def copa_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness.

    The context is the premise without its full stop, and a connector. An option begins with a lower-case letter and, as
    in the harness, follows two spaces.
    """
    context = f"{row['premise'].strip()[:-1]} {_CONNECTORS[row['question']]}"
    options = [f" {text[0].lower()}{text[1:]}" for text in (row["choice1"], row["choice2"])]
    return cloze_sample(context, options, label_index(row, "label", ("0", "1")))


@task
def copa(split: str = "validation", style: Style = "letters") -> Task:
    """Choose the cause or the effect of a situation.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options are ranked by log-probability, as the rest of
            a sentence. `cloze_unconditional`: likewise, and also after subtracting their log-probability without the
            beginning of the sentence.
    """
    labelled_split("copa", split, labelled=("train", "validation"), unlabelled=("test",))
    mapping = mapping_of("copa", style, letters=copa_record, cloze=copa_cloze_sample)
    return MCQEval(name="copa", record_to_mcq_sample=mapping, style=style, **COPA.arguments(split=split))
