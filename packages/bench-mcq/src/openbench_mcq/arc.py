"""ARC: grade-school science questions, in an easy set and a challenge set.

Clark et al. (2018), https://arxiv.org/abs/1803.05457
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.metadata import DatasetSource
from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample, question_and_cue
from openbench_mcq.metadata.knowledge import ARC_CHALLENGE, ARC_EASY
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

SPLITS = ("train", "validation", "test")


GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: three to five choices, labelled with letters or, in some rows, with digits."""
    options, labels = row["choices"]["text"], row["choices"]["label"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answerKey", labels), options),
        id=row["id"],
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness."""
    correct = label_index(row, "answerKey", row["choices"]["label"])
    return cloze_sample(question_and_cue(row["question"]), row["choices"]["text"], correct, id=row["id"])


@task
def arc_easy(split: str = "test", style: Style = "letters") -> Task:
    """ARC-Easy: science questions that simple retrieval or co-occurrence of words can answer.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
    """
    return _arc("arc_easy", ARC_EASY, split, style)


@task
def arc_challenge(split: str = "test", style: Style = "letters") -> Task:
    """ARC-Challenge: science questions that neither retrieval nor co-occurrence of words can answer.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
    """
    return _arc("arc_challenge", ARC_CHALLENGE, split, style)


def _arc(name: str, source: DatasetSource, split: str, style: Style) -> Task:
    labelled_split(name, split, labelled=SPLITS)
    mapping = mapping_of(name, style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name=name, record_to_mcq_sample=mapping, style=style, **source.arguments(split=split))
