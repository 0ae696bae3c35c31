"""MMStar: questions that cannot be answered without their image, in six core abilities.

Chen et al. (2024), https://arxiv.org/abs/2403.20330
"""

import re
from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate

from openbench.datasets import load_samples, read_rows
from openbench.scorers.mcq import group_metrics
from openbench_vision.answers import score_letter
from openbench_vision.images import Images
from openbench_vision.metadata import MMSTAR

LETTERS = "ABCD"

_INSTRUCTION = (
    "Answer the question about the image, whose options stand after it. The last line of your response should be "
    "'Answer: ' and the letter of the right option."
)
# Questions list their options in two forms: "Options: A: cat, B: dog", and lines "(A) cat".
_OPTIONS = re.compile(r"\n\s*(?:Options:|Choices:)", re.IGNORECASE)
_LABEL = re.compile(r"(?:^|,\s*|\n\s*|\s)\(?([A-D])[:)]\s*")


@task
def mmstar(max_side: int | None = None) -> Task:
    """Answer all questions, with accuracy by ability and sub-ability.

    Args:
        max_side: Maximum length of an image's longer side, in pixels; larger images are scaled down. Default: no limit.
    """
    images = Images(max_side)
    return Task(
        name="mmstar",
        dataset=load_samples(read_rows(MMSTAR), lambda row: record_to_sample(row, images), name="mmstar"),
        solver=generate(),
        scorer=mmstar_scorer(),
    )


def record_to_sample(row: Mapping[str, Any], images: Images) -> Sample:
    """Map a row, whose question includes its options."""
    if row["answer"] not in LETTERS:
        raise ValueError(f"the answer is {row['answer']!r}, expected one of {LETTERS}")
    return Sample(
        id=row["index"],
        input=[images.before([row["image"]], f"{_INSTRUCTION}\n\n{row['question']}")],
        target=row["answer"],
        metadata={
            "category": row["category"],
            "l2_category": row["l2_category"],
            "options": read_question_options(row["question"]),
        },
    )


def read_question_options(question: str) -> dict[str, str]:
    """Return the texts of the options in a question by letter; empty if they cannot be told apart."""
    parts = _OPTIONS.split(question)
    labels = list(_LABEL.finditer(parts[-1])) if len(parts) > 1 else []
    letters = "".join(label[1] for label in labels)
    if len(letters) < 2 or letters != LETTERS[: len(letters)]:  # noqa: PLR2004 - a choice needs two options
        return {}
    ends = [*(label.start() for label in labels[1:]), len(parts[-1])]
    return {label[1]: parts[-1][label.end() : end].strip(" ,\n") for label, end in zip(labels, ends, strict=True)}


@scorer(metrics=[accuracy(), stderr(), *group_metrics(accuracy(), ["category", "l2_category"])])
def mmstar_scorer() -> Scorer:
    """Score the letter of an option, or its text."""

    async def score(state: TaskState, target: Target) -> Score:
        options = state.metadata["options"] or dict(zip(LETTERS, LETTERS, strict=True))
        return score_letter(state.output.completion, target.text, options)

    return score
