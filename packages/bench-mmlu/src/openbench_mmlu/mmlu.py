"""MMLU (Hendrycks et al., "Measuring Massive Multitask Language Understanding", arXiv:2009.03300)."""

from dataclasses import replace
from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench.tasks.mcq import MCQSample, labelled_split, mcq_task, target_letter
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mmlu.fewshot import Examples, check_fewshot, read_examples, worked_example
from openbench_mmlu.metadata import MMLU
from openbench_mmlu.selection import select_rows
from openbench_mmlu.settings import generation
from openbench_mmlu.subjects import category_of, choose_subjects

EXAMPLES_SPLIT = "dev"
GROUP_KEYS = ["category", "subject"]
GOLDENS = {"fewshot": {"fewshot": 5}}  # the prompts with worked examples are kept, too


@task
def mmlu(
    subjects: str | list[str] | None = None, fewshot: int = 0, split: str = "test", settings: str = "default"
) -> Task:
    """Answer questions of 57 subjects, each with four options.

    Args:
        subjects: Subjects or categories (stem, humanities, social_sciences, other); by default all.
        fewshot: How many worked examples of the subject precede each question, 0 to 5.
        split: The split that is evaluated: test, validation or dev.
        settings: `default`, or `upstream` for those of groq/openbench: temperature 0.5.

    Returns:
        A task that reports accuracy and its standard error, over all and by category and subject.

    Raises:
        UsageError: An argument is not possible.
        DataError: The rows cannot be had, or one does not fit.
    """
    labelled_split("mmlu", split, labelled=("test", "validation", "dev"))
    check_fewshot("mmlu", fewshot, split=split, examples_split=EXAMPLES_SPLIT)
    chosen = choose_subjects("mmlu", subjects)
    rows = read_rows(replace(MMLU, split=split))
    if subjects is not None:
        rows = select_rows(rows, "subject", chosen)
    examples = read_examples(replace(MMLU, split=EXAMPLES_SPLIT), record_to_example, fewshot)
    return mcq_task(
        name="mmlu",
        dataset=load_samples(rows, partial(record_to_mcq_sample, examples=examples), name="mmlu"),
        group_keys=GROUP_KEYS,
        config=generation("mmlu", settings),
    )


def record_to_mcq_sample(record: dict[str, Any], examples: Examples | None = None) -> MCQSample:
    """Give the sample of a row of MMLU or MMLU-Redux; core derives its id from the row, which has none."""
    subject, options = record["subject"], record["choices"]
    prompt = create_dynamic_multiple_choice_prompt(record["question"], options)
    return MCQSample(
        input=examples.before(subject, prompt) if examples else prompt,
        target=target_letter(record["answer"], options),
        metadata={"category": category_of(subject), "subject": subject},
    )


def record_to_example(record: dict[str, Any]) -> Sample:
    """Give a row of the dev split as a worked example."""
    options = record["choices"]
    letter = target_letter(record["answer"], options)
    return worked_example(record["question"], options, letter, group=record["subject"])
