"""SciQ: crowdsourced science exam questions, asked without their supporting passage.

Welbl et al. (2017), https://arxiv.org/abs/1707.06209
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.tasks.mcq import MCQEval, MCQSample, Style, shuffled_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.cloze import cloze_sample, question_and_cue
from openbench_mcq.metadata.knowledge import SCIQ
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import target_letter
from openbench_scorers.selection import labelled_split

ANSWERS = ("correct_answer", "distractor1", "distractor2", "distractor3")


GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The correct answer is in a separate column, so the options are shuffled."""
    options, correct = shuffled_options([row[column] for column in ANSWERS], 0, key=row["question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(correct, options),
    )


def record_to_cloze_sample(row: dict[str, Any]) -> Sample:
    """Map a row to the prompt of lm-evaluation-harness, which includes the supporting passage."""
    context = f"{row['support'].lstrip()}\n{question_and_cue(row['question'])}"
    return cloze_sample(context, [row[column] for column in (*ANSWERS[1:], ANSWERS[0])], len(ANSWERS) - 1)


@task
def sciq(split: str = "test", style: Style = "letters") -> Task:
    """SciQ: crowdsourced science exam questions.

    Args:
        split: The split to evaluate.
        style: `letters`: the model writes a letter. `cloze`: the options' texts are ranked by log-probability,
            after the supporting passage. `cloze_unconditional`: likewise, and also after subtracting their
            log-probability without passage and question.
    """
    labelled_split("sciq", split, labelled=("train", "validation", "test"))
    mapping = mapping_of("sciq", style, letters=record_to_mcq_sample, cloze=record_to_cloze_sample)
    return MCQEval(name="sciq", record_to_mcq_sample=mapping, style=style, **SCIQ.arguments(split=split))
