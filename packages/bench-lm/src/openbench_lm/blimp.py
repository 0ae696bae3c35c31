"""BLiMP: minimal pairs of a grammatical and an ungrammatical sentence.

Warstadt et al. (2020), https://arxiv.org/abs/1912.00582
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_parts, read_rows
from openbench_lm.blimp_files import DIGESTS, blimp_file
from openbench_lm.metadata import BLIMP
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import create_ranking_scorer
from openbench_ranking.solver import rank
from openbench_scorers.selection import Selection, selected_names


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row: the context is empty, and each sentence follows a space."""
    return ranking_sample(
        input="",
        continuations=[f" {row['sentence_good']}", f" {row['sentence_bad']}"],
        gold=[0],
        id=f"{row['UID']}-{row['pairID']}",
        metadata={"phenomenon": row["linguistics_term"], "subset": row["UID"]},
    )


@task
def blimp(subset: Selection = None) -> Task:
    """BLiMP: how often a grammatical sentence is more probable than its ungrammatical partner.

    Args:
        subset: Any of the 67 subsets, as in `-T subset=adjunct_island,wh_island`; all by default.

    Raises:
        UsageError: A subset does not exist.
        DataError: The rows cannot be loaded, or do not match the pinned digests.
    """
    chosen = selected_names("blimp: subset", subset, DIGESTS)
    rows = read_parts(BLIMP, lambda: [row for name in chosen for row in read_rows(blimp_file(name)).rows])

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [record_to_sample(row)] if row["UID"] in chosen else []

    return Task(
        name="blimp",
        dataset=load_samples(rows, to_samples, name="blimp"),
        solver=rank(),
        scorer=create_ranking_scorer(["phenomenon", "subset"], figures=("acc", "prob_mass"))(),
    )
