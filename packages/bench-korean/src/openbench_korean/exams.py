"""Exams: KMMLU, of 45 subjects.

Son et al. (2024), https://arxiv.org/abs/2402.11548
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_configs
from openbench.datasets.selection import Selection, selected_names, selected_rows
from openbench.tasks.mcq import MCQSample, label_index, mcq_task, target_letter
from openbench_korean.metadata import AS_WRITTEN, KMMLU, KMMLU_CATEGORIES
from openbench_korean.prompts import ANY, lettered_prompt

_CATEGORY_OF = {subject: category for category, subjects in KMMLU_CATEGORIES.items() for subject in subjects}


@task
def kmmlu(subject: Selection = None) -> Task:
    """Answer questions of Korean exams in 45 subjects, with accuracy by category and subject.

    Args:
        subject: Subjects, as in `Accounting` or `law,patent`; all by default.

    Raises:
        UsageError: There is no such subject.
    """
    option = "kmmlu: subject"
    chosen = selected_names(option, subject, _CATEGORY_OF)
    rows = selected_rows(read_configs(KMMLU, chosen, column="subject", **AS_WRITTEN), option, "subject", subject)
    return mcq_task(
        name="kmmlu",
        dataset=load_samples(rows, kmmlu_sample, name="kmmlu"),
        group_keys=["category", "subject"],
        language=ANY,
    )


def kmmlu_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the number of the right option, from 1."""
    options = [row[letter] for letter in "ABCD"]
    return MCQSample(
        input=lettered_prompt(row["question"], options),
        target=target_letter(label_index(row, "answer", ("1", "2", "3", "4")), options),
        metadata={"category": _CATEGORY_OF[row["subject"]], "subject": row["subject"]},
    )
