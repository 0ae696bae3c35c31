"""RACE: questions about texts, from English exams of Chinese middle and high schools.

Lai et al. (2017), https://arxiv.org/abs/1704.04683
"""

from typing import Any

from inspect_ai import Task, task

from openbench.errors import UsageError
from openbench.tasks.mcq import MCQEval, MCQSample
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.knowledge import RACE
from openbench_mcq.passages import by_passage
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import labelled_split

LEVELS = ("high", "middle", "all")


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. Its `example_id` (`high19088.txt`) names the article, which several questions share."""
    article, options = row["example_id"], row["options"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(f"{row['article']}\n\nQuestion: {row['question']}", options),
        target=target_letter(label_index(row, "answer", ("A", "B", "C", "D")), options),
        metadata={"level": "middle" if article.startswith("middle") else "high", "passage": article},
    )


@task
def race(split: str = "test", level: str = "high") -> Task:
    """RACE: reading comprehension; `level` is `high`, `middle`, or `all`, with accuracy by level.

    The questions about an article form a cluster.
    """
    labelled_split("race", split, labelled=("train", "validation", "test"))
    if level not in LEVELS:
        raise UsageError(f"race: the level {level!r} does not exist. Levels: {', '.join(LEVELS)}.")
    return MCQEval(
        name="race",
        record_to_mcq_sample=record_to_mcq_sample,
        group_keys=["level"] if level == "all" else None,
        additional_metrics=by_passage(),
        **RACE.arguments(split=split, config=level),
    )
