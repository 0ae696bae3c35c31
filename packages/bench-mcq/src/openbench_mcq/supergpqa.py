"""SuperGPQA: graduate-level questions in 285 subfields with up to ten options.

M-A-P Team et al. (2025), https://arxiv.org/abs/2502.14739
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_rows
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters
from openbench_mcq.metadata.knowledge import SUPERGPQA
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_rows


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The target is its letter, since options of a question may have the same text."""
    options = row["options"]
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(row["question"], options),
        target=target_letter(label_index(row, "answer_letter", option_letters(len(options))), options),
        id=row["uuid"],
        metadata={name: row[name] for name in ("discipline", "field", "subfield", "difficulty")},
    )


@task
def supergpqa(
    discipline: Selection = None, field: Selection = None, subfield: Selection = None, difficulty: Selection = None
) -> Task:
    """Answer graduate-level questions, with accuracy by discipline and difficulty.

    Args:
        discipline: Any of the 13 disciplines, as in `Medicine` or `law,economics`; all by default.
        field: Any of the 72 fields, as in `Clinical Medicine`; all by default.
        subfield: Any of the 285 subfields, as in `Internal Medicine`; all by default.
        difficulty: Any of easy, middle and hard; all by default.

    Raises:
        UsageError: No question has one of the values.
    """
    rows = read_rows(SUPERGPQA)
    wanted = {"discipline": discipline, "field": field, "subfield": subfield, "difficulty": difficulty}
    for name, selection in wanted.items():
        rows = selected_rows(rows, f"supergpqa: {name}", name, selection)
    return mcq_task(
        name="supergpqa",
        dataset=load_samples(rows, record_to_mcq_sample, name="supergpqa"),
        group_keys=["discipline", "difficulty"],
    )
