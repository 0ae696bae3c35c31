"""Exams: KMMLU with 45 subjects, and KMMLU-Pro with 14 professional licences.

Son et al. (2024), https://arxiv.org/abs/2402.11548; Hong et al. (2025), https://arxiv.org/abs/2507.08924
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_configs, read_rows
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import lettered_prompt, lettered_task
from openbench_korean.metadata import (
    AS_WRITTEN,
    KMMLU,
    KMMLU_CATEGORIES,
    KMMLU_PRO,
)
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_names, selected_rows

_CATEGORY_OF = {subject: category for category, subjects in KMMLU_CATEGORIES.items() for subject in subjects}


@task
def kmmlu(subject: Selection = None) -> Task:
    """Answer questions from Korean exams in 45 subjects, with accuracy by category and subject.

    Args:
        subject: Subjects, such as `Accounting` or `law,patent`; all by default.

    Raises:
        UsageError: A subject does not exist.
    """
    option = "kmmlu: subject"
    chosen = selected_names(option, subject, _CATEGORY_OF)
    rows = selected_rows(read_configs(KMMLU, chosen, column="subject", **AS_WRITTEN), option, "subject", subject)
    return lettered_task("kmmlu", rows, kmmlu_sample, groups=["category", "subject"])


def kmmlu_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: four options, and the number of the correct one, from 1."""
    options = [row[letter] for letter in "ABCD"]
    return MCQSample(
        input=lettered_prompt(row["question"], options),
        target=target_letter(label_index(row, "answer", ("1", "2", "3", "4")), options),
        metadata={"category": _CATEGORY_OF[row["subject"]], "subject": row["subject"]},
    )


@task
def kmmlu_pro(license: Selection = None) -> Task:  # noqa: A002 - the name of the column
    """Answer questions from the exams for 14 Korean professional licences, with accuracy by licence.

    Args:
        license: Korean names of licences; all by default.

    Raises:
        UsageError: A licence does not exist.
    """
    rows = selected_rows(read_rows(KMMLU_PRO), "kmmlu_pro: license", "license_name", license)
    return lettered_task("kmmlu_pro", rows, kmmlu_pro_sample, groups=["license"])


def kmmlu_pro_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: four or five options, and the number of the correct one, from 1."""
    options = list(row["options"])
    numbers = [str(number) for number in range(1, len(options) + 1)]
    return MCQSample(
        input=lettered_prompt(row["question"], options),
        target=target_letter(label_index(row, "solution", numbers), options),
        metadata={"license": row["license_name"], "subject": row["subject"]},
    )
