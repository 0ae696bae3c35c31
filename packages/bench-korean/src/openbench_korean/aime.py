"""AIME 2025 in Korean: a high-school mathematics contest, translated by Allganize."""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import load_samples, read_rows
from openbench_korean.mathematics import PROMPT, numbers, reference
from openbench_korean.metadata import KO_AIME_2025
from openbench_scorers.majority import maj_at_k
from openbench_scorers.means import clustered_stderr
from openbench_scorers.passing import pass_at_k

__all__ = ["ko_aime2025", "reference"]

WAIVERS = {"metadata": "no commit of its rows is known that could be pinned"}

ATTEMPTS = 16
"""The number of epochs: one attempt at 30 problems has a standard error of 9 points."""


@task
def ko_aime2025() -> Task:
    """AIME 2025 in Korean: the 30 problems of both exams."""
    return Task(
        name="ko_aime2025",
        dataset=load_samples(read_rows(KO_AIME_2025), aime_sample, name="ko_aime2025"),
        solver=generate(),
        scorer=numbers(),
        metrics=[
            *(accuracy(), stderr(), clustered_stderr("question")),
            *(pass_at_k([1, 4, ATTEMPTS]), maj_at_k([4, ATTEMPTS])),
        ],
        epochs=ATTEMPTS,
    )


def aime_sample(row: dict[str, Any]) -> Sample:
    """Map a row: the problem in Korean, and an integer from 0 to 999."""
    answer = "0부터 999까지의 정수"
    return Sample(input=PROMPT.format(question=row["problem_ko"].strip(), answer=answer), target=str(row["answer"]))
