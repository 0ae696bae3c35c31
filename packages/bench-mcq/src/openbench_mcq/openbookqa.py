"""OpenBookQA: elementary science questions, asked without the book.

Mihaylov et al. (2018), https://arxiv.org/abs/1809.02789
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample
from openbench_mcq.metadata.knowledge import OPENBOOKQA
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a question or the beginning of a sentence, and four choices."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question_stem"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness: the stem alone, continued by the choices."""
    correct = label_index(row, "answerKey", row["choices"]["label"])
    return cloze_sample(row["question_stem"], row["choices"]["text"], correct, id=row["id"])


@task
def openbookqa(split: str = "test", style: Style = "letters") -> Task:
    """OpenBookQA: elementary science questions that require a fact and common knowledge.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
    """
    labelled_split("openbookqa", split, labelled=("train", "validation", "test"))
    mapping = mapping_of("openbookqa", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name="openbookqa", record_to_mcq_sample=mapping, style=style, **OPENBOOKQA.arguments(split=split))
