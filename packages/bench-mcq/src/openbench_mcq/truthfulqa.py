"""TruthfulQA: questions that people often answer falsely, with one or several true choices.

Lin et al. (2021), https://arxiv.org/abs/2109.07958
"""

import re
from functools import partial
from typing import Any, Literal, get_args

import yaml
from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import read_text
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench.tasks.mcq import MCQEval, MCQSample, Style, shuffled_options
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import TRUTHFULQA_MC1
from openbench_ranking.request import ranking_sample
from openbench_ranking.styles import mapping_of
from openbench_scorers.labels import target_letter

Prompt = Literal["ours", "official"]

OFFICIAL = DatasetSource(  # the paper's six examples, as lm-evaluation-harness publishes them
    source="https://raw.githubusercontent.com/EleutherAI/lm-evaluation-harness/"
    "2fdb026c8c5bf50a00b30e6a826b12e478bf2981/lm_eval/tasks/truthfulqa/truthfulqa_mc1.yaml",
    type="text",
    revision="2fdb026c8c5bf50a00b30e6a826b12e478bf2981",
    sha256="16138460b4bde2e017424d168d268a28a64818a549c2d6fb1c8f2e9cc50c36e5",
    licence="MIT",
)
_EXAMPLES = re.compile(r"prompt_qa = '(.*?)'\s*%\}", re.DOTALL)
GOLDENS = {"cloze": {"style": "cloze"}}


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The dataset always lists the true choice first, so the choices are shuffled.

    Raises:
        ValueError: The number of true choices is not 1.
    """
    choices, (right,) = row["mc1_targets"]["choices"], _true(row, "mc1_targets", one=True)
    options, correct = shuffled_options(choices, right, key=row["question"])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(correct, options),
    )


def record_to_cloze_sample(row: dict[str, Any], *, examples: str = "", targets: str = "mc1_targets") -> Sample:
    """Map a row to the prompt of lm-evaluation-harness; the order of the choices does not matter.

    Args:
        row: The row.
        examples: The text before the question.
        targets: `mc1_targets`, with one true choice, or `mc2_targets`.

    Raises:
        ValueError: No choice is true, or several choices of `mc1_targets` are.
    """
    return ranking_sample(
        input=f"{examples}Q: {row['question']}\nA:",
        continuations=[f" {choice}" for choice in row[targets]["choices"]],
        gold=_true(row, targets, one=targets == "mc1_targets"),
    )


def read_examples(name: str, prompt: Prompt) -> str:
    """Return the text before each question: empty for `ours`, the paper's examples for `official`.

    Raises:
        UsageError: `prompt` has another value.
        DataError: The examples cannot be loaded, do not match the pinned digest, or are not found in the file.
    """
    if prompt not in get_args(Prompt):
        raise UsageError(f"{name}: prompt={prompt!r}: expected one of {', '.join(get_args(Prompt))}.")
    if prompt == "ours":
        return ""
    if not (found := _EXAMPLES.search(yaml.safe_load(read_text(OFFICIAL))["doc_to_text"])):
        raise DataError(f"{OFFICIAL.source}: no examples found")
    return f"{found[1]}\n\n"


@task
def truthfulqa_mc1(style: Style = "letters", prompt: Prompt = "ours") -> Task:
    """TruthfulQA with a single true choice: whether a model repeats common misconceptions.

    Args:
        style: `letters`: the model writes a letter. `cloze`: the choices are ranked by log-probability.
            `cloze_unconditional`: likewise, and also after subtracting their log-probability without the question.
        prompt: The prompt of `cloze`: `ours`, without examples, or `official`, with the paper's six examples before
            each question, which are downloaded once.
    """
    if prompt == "official" and style == "letters":
        raise UsageError("truthfulqa_mc1: prompt='official' requires style='cloze' or style='cloze_unconditional'.")
    cloze = partial(record_to_cloze_sample, examples=read_examples("truthfulqa_mc1", prompt))
    mapping = mapping_of("truthfulqa_mc1", style, letters=record_to_mcq_sample, cloze=cloze)
    return MCQEval(name="truthfulqa_mc1", record_to_mcq_sample=mapping, style=style, **TRUTHFULQA_MC1.arguments())


def _true(row: dict[str, Any], targets: str, *, one: bool) -> list[int]:
    true = [index for index, label in enumerate(row[targets]["labels"]) if label == 1]
    if len(true) != 1 if one else not true:
        raise ValueError(f"{targets}: {len(true)} choices are true, expected {'exactly' if one else 'at least'} one")
    return true
