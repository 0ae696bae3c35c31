"""MuSR: stories of about a thousand words, with questions about a murderer, a place or a team.

Sprague et al. (2023), https://arxiv.org/abs/2310.16049
"""

import ast
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task

from openbench.datasets import content_digest, load_samples, read_parts, read_rows
from openbench.tasks.mcq import MCQSample, mcq_task
from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt
from openbench_mcq.metadata.reasoning import MUSR
from openbench_scorers.labels import label_index, target_letter
from openbench_scorers.means import clustered_stderr, macro_average
from openbench_scorers.selection import Selection, selected_names

DOMAINS = ("murder_mysteries", "object_placements", "team_allocation")


@task
def musr(domain: Selection = None) -> Task:
    """Answer questions about stories; `macro` is the mean over the domains.

    The questions about a story form a cluster.

    Args:
        domain: Any of murder_mysteries, object_placements and team_allocation; all by default.

    Raises:
        UsageError: A domain does not exist.
        DataError: The rows cannot be loaded, or one does not match the schema.
    """
    chosen = selected_names("musr: domain", domain, DOMAINS)

    def to_samples(row: dict[str, Any]) -> list[MCQSample]:
        return [record_to_mcq_sample(row)] if row["domain"] in chosen else []

    rows = read_parts(MUSR, lambda: [row for name in chosen for row in _read(name)])
    return mcq_task(
        name="musr",
        dataset=load_samples(rows, to_samples, name="musr"),
        group_keys=["domain"],
        additional_metrics=[macro_average("domain"), clustered_stderr("narrative")],
    )


def record_to_mcq_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the narrative, then the question. `choices` is a Python list, written as text.

    Raises:
        ValueError: `choices` is not a list, or the index of the answer is outside it.
    """
    try:
        options = ast.literal_eval(row["choices"])
    except (SyntaxError, ValueError):
        options = None
    if not isinstance(options, list):
        raise ValueError(f"choices: {row['choices']!r:.100} is not a Python list")  # noqa: TRY004 - a row's content
    answer = label_index(row, "answer_index", [str(index) for index in range(len(options))])
    return MCQSample(
        input=create_dynamic_multiple_choice_prompt(f"{row['narrative'].strip()}\n\n{row['question']}", options),
        target=target_letter(answer, options),
        metadata={"domain": row["domain"], "narrative": content_digest(row["narrative"])[:16]},
    )


def _read(domain: str) -> list[dict[str, Any]]:
    return [{**row, "domain": domain} for row in read_rows(replace(MUSR, split=domain)).rows]
