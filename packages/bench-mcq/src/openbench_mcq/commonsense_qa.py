"""CommonsenseQA: questions about everyday concepts, with five choices that are all related to the concept.

Talmor et al. (2019), https://arxiv.org/abs/1811.00937
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters
from openbench_mcq.cloze import cloze_sample, question_and_cue
from openbench_mcq.metadata.knowledge import COMMONSENSE_QA
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

GOLDENS = {"letters_ranked": {"style": "letters_ranked"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
        metadata={"question_concept": row["question_concept"]},
    )


def record_to_letters_ranked_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness, which ranks the letters of the choices."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    letters = option_letters(len(options))
    shown = "".join(f"\n{letter}. {option}" for letter, option in zip(letters, options, strict=True))
    return cloze_sample(
        question_and_cue(row["question"].strip() + shown),
        letters,
        label_index(row, "answerKey", labels),
        id=row["id"],
        metadata={"question_concept": row["question_concept"]},
    )


@task
def commonsense_qa(split: str = "validation", style: Style = "letters") -> Task:
    """CommonsenseQA: questions that require everyday knowledge.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `letters_ranked`: the letters are ranked by log-probability.
    """
    labelled_split("commonsense_qa", split, labelled=("train", "validation"), unlabelled=("test",))
    mapping = mapping_of(
        "commonsense_qa", style, letters=record_to_mcq_sample, letters_ranked=record_to_letters_ranked_sample
    )
    return MCQEval(
        name="commonsense_qa",
        record_to_mcq_sample=mapping,
        style=style,
        **COMMONSENSE_QA.arguments(split=split),
    )
