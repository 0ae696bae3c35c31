"""HellaSwag in Korean: choosing the ending of a text.

Zellers et al. (2019), https://arxiv.org/abs/1905.07830
"""

from typing import Any

from inspect_ai import Task, task

from openbench.datasets import read_rows
from openbench.tasks.mcq import MCQSample
from openbench_korean.build import lettered_prompt, lettered_task
from openbench_korean.metadata import KO_HELLASWAG
from openbench_scorers.labels import label_index, target_letter

WAIVERS = {"metadata": "no commit of its rows is known that could be pinned"}


@task
def ko_hellaswag() -> Task:
    """Choose the most plausible of four endings."""
    return lettered_task("ko_hellaswag", read_rows(KO_HELLASWAG), ko_hellaswag_sample)


def ko_hellaswag_sample(row: dict[str, Any]) -> MCQSample:
    """Map a row: the beginning of a text, and four endings."""
    endings = [ending.strip() for ending in row["endings"]]
    return MCQSample(
        input=lettered_prompt(f"{row['ctx'].strip()}\n\n이어질 내용으로 가장 알맞은 것은 무엇입니까?", endings),
        target=target_letter(label_index(row, "label", ("0", "1", "2", "3")), endings),
    )
