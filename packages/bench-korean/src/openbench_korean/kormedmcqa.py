"""KorMedMCQA: Korean licensing exams for doctors, nurses, pharmacists and dentists.

Kweon et al. (2024), https://arxiv.org/abs/2403.01469
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_configs
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import lettered_prompt, lettered_task
from openbench_korean.metadata import KORMEDMCQA, KORMEDMCQA_PROFESSIONS
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_names, selected_rows

WAIVERS = {"metadata": "no commit of its rows is known that could be pinned"}


@task
def kormedmcqa(profession: Selection = None) -> Task:
    """Answer questions from Korean medical licensing exams, with accuracy by profession.

    Args:
        profession: One or more of doctor, nurse, pharm and dentist; all by default.

    Raises:
        UsageError: A profession does not exist.
    """
    option = "kormedmcqa: profession"
    chosen = selected_names(option, profession, KORMEDMCQA_PROFESSIONS)
    rows = selected_rows(read_configs(KORMEDMCQA, chosen, column="profession"), option, "profession", profession)
    return lettered_task("kormedmcqa", rows, kormedmcqa_sample, groups=["profession"])


def kormedmcqa_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: five options, and the number of the correct one, from 1."""
    options = [row[letter] for letter in "ABCDE"]
    return MCQSample(
        input=lettered_prompt(row["question"].strip(), options),
        target=target_letter(label_index(row, "answer", ("1", "2", "3", "4", "5")), options),
        metadata={"profession": row["profession"], "year": row["year"]},
    )
