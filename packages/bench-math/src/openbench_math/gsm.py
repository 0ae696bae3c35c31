"""Grade-school word problems: GSM8K and GSM-Plus.

Cobbe et al. (2021), https://arxiv.org/abs/2110.14168; Li et al. (2024), https://arxiv.org/abs/2402.19255
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import content_digest, read_rows
from openbench_math.build import NUMBER_PROMPT, math_task
from openbench_math.metadata import GSM8K, GSM_PLUS
from openbench_scorers.numeric import numeric
from openbench_scorers.selection import labelled_split

# The announced number, else the boxed one, else the last number.
PLACES = ("announced", "boxed", "last_number")
_MARK = "####"
_UNANSWERABLE = "None"


@task
def gsm8k(split: str = "test") -> Task:
    """GSM8K: word problems that take two to eight steps of arithmetic."""
    labelled_split("gsm8k", split, labelled=("train", "test"))
    return math_task("gsm8k", read_rows(replace(GSM8K, split=split)), gsm8k_sample, numeric(PLACES))


def gsm8k_sample(row: dict[str, Any]) -> Sample:
    """Map a row: its solution ends with the answer after `####`."""
    _, mark, answer = row["answer"].rpartition(_MARK)
    if not mark:
        raise ValueError(f"answer: no {_MARK!r} in {row['answer']!r}")
    return Sample(input=NUMBER_PROMPT.format(question=row["question"]), target=answer.strip())


@task
def gsm_plus(split: str = "test") -> Task:
    """GSM-Plus: the questions of GSM8K, perturbed in seven ways; `split` is `test`, or the smaller `testmini`.

    The perturbations of a question form a cluster.
    """
    labelled_split("gsm_plus", split, labelled=("test", "testmini"))
    rows = read_rows(replace(GSM_PLUS, split=split))
    return math_task("gsm_plus", rows, gsm_plus_samples, numeric(PLACES), cluster="seed", groups=["perturbation"])


def gsm_plus_samples(row: dict[str, Any]) -> Sequence[Sample]:
    """Map a row. Questions that lack information (`critical thinking`) have no answer and are left out."""
    if row["answer"] == _UNANSWERABLE:
        return []
    return [
        Sample(
            input=NUMBER_PROMPT.format(question=row["question"]),
            target=row["answer"],
            metadata={"perturbation": row["perturbation_type"], "seed": content_digest(row["seed_question"])[:16]},
        )
    ]
