"""MMLU-Pro (Wang et al., "A More Robust and Challenging Multi-Task ... Benchmark", arXiv:2406.01574)."""

import re
from dataclasses import replace
from functools import partial
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters
from openbench_mmlu.fewshot import Examples, check_fewshot, read_examples, worked_example
from openbench_mmlu.metadata import MMLU_PRO
from openbench_mmlu.selection import choose, select_rows
from openbench_scorers.selection import labelled_split

CATEGORIES = (
    "biology",
    "business",
    "chemistry",
    "computer science",
    "economics",
    "engineering",
    "health",
    "history",
    "law",
    "math",
    "other",
    "philosophy",
    "physics",
    "psychology",
)
EXAMPLES_SPLIT = "validation"
GOLDENS = {"fewshot": {"fewshot": 5}}  # golden prompts also cover few-shot examples

_CONCLUSION = re.compile(r"\s*The answer is \(?[A-J]\)?\.?\s*$")


@task
def mmlu_pro(categories: str | list[str] | None = None, fewshot: int = 0, split: str = "test") -> Task:
    """Answer questions in 14 categories, each with 3 to 10 options.

    Args:
        categories: Categories; all by default.
        fewshot: The number of examples of the category before each question, 0 to 5.
        split: The split to evaluate: test or validation.

    Returns:
        A task that reports accuracy and its standard error, over all and by category.

    Raises:
        UsageError: An argument is invalid.
        DataError: The rows cannot be loaded, or one does not match the schema.
    """
    labelled_split("mmlu_pro", split, labelled=("test", "validation"))
    check_fewshot("mmlu_pro", fewshot, split=split, examples_split=EXAMPLES_SPLIT)
    groups = {category: (category,) for category in CATEGORIES}
    chosen = choose("mmlu_pro: categories", categories, groups, categories=CATEGORIES)
    rows = read_rows(replace(MMLU_PRO, split=split))
    if categories is not None:
        rows = select_rows(rows, "category", chosen)
    examples = read_examples(replace(MMLU_PRO, split=EXAMPLES_SPLIT), record_to_example, fewshot)
    return mcq_task(
        name="mmlu_pro",
        dataset=load_samples(rows, partial(record_to_mcq_sample, examples=examples), name="mmlu_pro"),
        group_keys=["category"],
    )


def record_to_mcq_sample(record: dict[str, Any], examples: Examples | None = None) -> MCQSample:
    """Map a row.

    Raises:
        ValueError: The answer is not the letter of an option.
    """
    options = _options(record)
    prompt = create_dynamic_multiple_choice_prompt(record["question"], options)
    return MCQSample(
        id=record["question_id"],
        input=examples.before(record["category"], prompt) if examples else prompt,
        target=_target(record, options),
        metadata={"category": record["category"], "src": record["src"]},
    )


def record_to_example(record: dict[str, Any]) -> Sample:
    """Convert a row of the validation split to a few-shot example: its reasoning, then `Answer: X`."""
    options = _options(record)
    reasoning = _CONCLUSION.sub("", record["cot_content"].strip().removeprefix("A:").strip())
    letter = _target(record, options)
    return worked_example(record["question"], options, letter, group=record["category"], reasoning=reasoning)


def _options(record: dict[str, Any]) -> list[str]:
    return [option.strip() for option in record["options"]]


def _target(record: dict[str, Any], options: list[str]) -> str:
    """Return the row's `answer`, which the original scores by; `answer_index` disagrees with it in some rows."""
    letter: str = record["answer"]
    if letter not in list(option_letters(len(options))):
        raise ValueError(f"the answer {letter!r} is not one of the {len(options)} options")
    return letter
