"""BoolQ: yes/no questions that people asked a search engine, each with a passage that answers it.

Clark et al. (2019), https://arxiv.org/abs/1905.10044
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample, question_and_cue
from openbench_mcq.metadata.knowledge import BOOLQ
from openbench_mcq.metadata.language import BOOLQ_SUPER_GLUE
from openbench_mcq.passages import by_passage, passage_key
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

OPTIONS = ("Yes", "No")


GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the passage, then the question, which has no question mark in the dataset."""
    question = f"{row['passage']}\n\nQuestion: {row['question'].rstrip('? ')}?"
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, OPTIONS),
        target=target_letter(label_index(row, "answer", ("True", "False")), OPTIONS),
        metadata=passage_key(row["passage"]),
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row of SuperGLUE or of the original dataset to the prompt of lm-evaluation-harness."""
    column, labels = ("label", ("0", "1")) if "label" in row else ("answer", ("False", "True"))
    context = f"{row['passage']}\n{question_and_cue(row['question'] + '?')}"
    return cloze_sample(context, ["no", "yes"], label_index(row, column, labels), metadata=passage_key(row["passage"]))


@task
def boolq(split: str = "validation", style: Style = "letters") -> Task:
    """BoolQ: yes/no questions about passages; the questions about a passage form a cluster.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: `no` and `yes` are ranked by log-probability, on the rows
            of SuperGLUE, whose passages begin with their titles. `cloze_unconditional`: likewise, and also after
            subtracting their log-probability without the question.
    """
    labelled_split("boolq", split, labelled=("train", "validation"))
    mapping = mapping_of("boolq", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    source = BOOLQ if style == "letters" else BOOLQ_SUPER_GLUE
    return MCQEval(
        name="boolq",
        record_to_mcq_sample=mapping,
        additional_metrics=by_passage(),
        style=style,
        **source.arguments(split=split),
    )
