"""BLiMP: minimal pairs of a grammatical and an ungrammatical sentence.

Warstadt et al. (2020), https://arxiv.org/abs/1912.00582
"""

import difflib
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_parts, read_rows
from openbench.errors import UsageError
from openbench_lm.blimp_files import DIGESTS, blimp_file
from openbench_lm.metadata import BLIMP
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import create_ranking_scorer
from openbench_ranking.solver import rank


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
def blimp(subset: str | list[str] | None = None) -> Task:
    """BLiMP: how often a grammatical sentence is more probable than its ungrammatical partner.

    Args:
        subset: Any of the 67 subsets, as in `-T subset=adjunct_island,wh_island`; all by default.

    Raises:
        UsageError: A subset does not exist.
        DataError: The rows cannot be loaded, or do not match the pinned digests.
    """
    chosen = _chosen(subset)
    rows = read_parts(BLIMP, lambda: [row for name in chosen for row in read_rows(blimp_file(name)).rows])

    def to_samples(row: dict[str, Any]) -> list[Sample]:
        return [record_to_sample(row)] if row["UID"] in chosen else []

    return Task(
        name="blimp",
        dataset=load_samples(rows, to_samples, name="blimp"),
        solver=rank(),
        scorer=create_ranking_scorer(["phenomenon", "subset"], figures=("acc", "prob_mass"))(),
    )


def _chosen(subset: str | list[str] | None) -> list[str]:
    if subset is None:
        return list(DIGESTS)
    names = [name.strip() for name in (subset.split(",") if isinstance(subset, str) else subset)]
    for name in names:
        if name not in DIGESTS:
            close = difflib.get_close_matches(name, DIGESTS)
            hint = f"Close: {', '.join(close)}." if close else f"Known: {', '.join(DIGESTS)}."
            raise UsageError(f"blimp: the subset {name!r} does not exist. {hint}")
    return names
