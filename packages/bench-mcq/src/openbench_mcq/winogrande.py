"""WinoGrande: sentences with a blank that one of two nouns fills.

Sakaguchi et al. (2019), https://arxiv.org/abs/1907.10641
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample
from openbench_mcq.metadata.knowledge import WINOGRANDE
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

BLANK = "_"


GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: a sentence with a blank, and two options to fill it.

    Raises:
        ValueError: The sentence has no blank.
    """
    sentence, options = row["sentence"], [row["option1"], row["option2"]]
    _check_blank(sentence)
    question = f"{sentence}\n\nWhat belongs in the blank ({BLANK})?"
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(question, options),
        target=target_letter(label_index(row, "answer", ("1", "2")), options),
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the partial evaluation of lm-evaluation-harness.

    Each option fills the blank, and the rest of the sentence is scored after it. The probabilities of the options
    themselves do not count.

    Raises:
        ValueError: The sentence has no blank.
    """
    sentence = row["sentence"]
    _check_blank(sentence)
    before, _, after = sentence.partition(BLANK)
    contexts = [before + row[option] for option in ("option1", "option2")]
    return cloze_sample(sentence, [after.strip()] * 2, label_index(row, "answer", ("1", "2")), contexts=contexts)


def _check_blank(sentence: str) -> None:
    if BLANK not in sentence:
        raise ValueError(f"sentence: no blank {BLANK!r} in {sentence!r}")


@task
def winogrande(split: str = "validation", style: Style = "letters") -> Task:
    """WinoGrande: pronoun resolution by common sense.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the rest of the sentence is scored after each option, by
            log-probability.
    """
    labelled_split("winogrande", split, labelled=("train", "validation"), unlabelled=("test",))
    mapping = mapping_of("winogrande", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name="winogrande", record_to_mcq_sample=mapping, style=style, **WINOGRANDE.arguments(split=split))
