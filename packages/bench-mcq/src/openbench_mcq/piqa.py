"""PIQA: everyday physical goals, each with two solutions, one of which achieves the goal.

Bisk et al. (2020), https://arxiv.org/abs/1911.11641
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample, question_and_cue
from openbench_mcq.metadata.knowledge import PIQA
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. Mirrors of the dataset store the label as a number or as a string."""
    question = f"Goal: {row['goal']}\n\nWhich solution reaches the goal?"
    options = [row["sol1"], row["sol2"]]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, options),
        target=target_letter(label_index(row, "label", ("0", "1")), options),
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness."""
    correct = label_index(row, "label", ("0", "1"))
    return cloze_sample(question_and_cue(row["goal"]), [row["sol1"], row["sol2"]], correct)


@task
def piqa(split: str = "validation", style: Style = "letters") -> Task:
    """PIQA: common sense about the physical world.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
    """
    labelled_split("piqa", split, labelled=("train", "validation"), unlabelled=("test",))
    mapping = mapping_of("piqa", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name="piqa", record_to_mcq_sample=mapping, style=style, **PIQA.arguments(split=split))
