"""LongBench v2: questions about texts of 8,000 to two million words.

Bai et al. (2024), https://arxiv.org/abs/2412.15204
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_rows
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.language import LONGBENCH_V2
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.selection import Selection, selected_rows

_LABELS = ("A", "B", "C", "D")


@task
def longbench_v2(length: Selection = None, difficulty: Selection = None, domain: Selection = None) -> Task:
    """Answer questions about long texts, with accuracy by length, difficulty and domain.

    Texts are not truncated: a prompt that exceeds the model's context window is unscored and counted.

    Args:
        length: Any of short (up to 32,000 words), medium (up to 128,000) and long; all by default.
        difficulty: `easy` or `hard`; both by default.
        domain: Any of the six domains, as in `Single-Document QA`; all by default.

    Raises:
        UsageError: No question has one of the values.
    """
    rows = read_rows(LONGBENCH_V2)
    for column, wanted in {"length": length, "difficulty": difficulty, "domain": domain}.items():
        rows = selected_rows(rows, f"longbench_v2: {column}", column, wanted)
    return mcq_task(
        name="longbench_v2",
        dataset=load_samples(rows, record_to_mcq_sample, name="longbench_v2"),
        group_keys=["length", "difficulty", "domain"],
    )


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row. The text comes first, so that the question is next to the answer."""
    options = [row[f"choice_{label}"] for label in _LABELS]
    question = create_dynamic_multiple_choice_prompt(row["question"], options)
    return MCQSample(
        input=f"<text>\n{row['context'].strip()}\n</text>\n\n{question}",
        target=target_letter(label_index(row, "answer", _LABELS), options),
        id=row["_id"],
        metadata={name: row[name] for name in ("domain", "sub_domain", "difficulty", "length")},
    )
