"""LAMBADA: the last word of a passage, which people guess from the passage but not from its last sentence alone.

Paperno et al. (2016), https://arxiv.org/abs/1606.06031, in the version of GPT-2's authors.
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench_lm.metadata import LAMBADA
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import create_ranking_scorer
from openbench_ranking.solver import rank

WAIVERS = {"empty": "the probability of one word is asked for, which no model leaves unanswered"}


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row: what follows the last space of the text is its last word."""
    context, _, word = row["text"].rpartition(" ")
    return ranking_sample(input=context, continuations=[f" {word}"], gold=[0])


def passage(sample: Sample) -> str:
    """Return the text of a sample, in which its last word may occur."""
    return str(sample.input)


@task
def lambada() -> Task:
    """LAMBADA: the share of passages whose last word is the most probable one, and the perplexity of last words.

    `greedy` is the accuracy that is published; each token of the word must be the most probable one at its place.
    """
    return Task(
        name="lambada",
        dataset=load_samples(read_rows(LAMBADA), record_to_sample, name="lambada"),
        solver=rank(),
        scorer=create_ranking_scorer(figures=("greedy", "loglikelihood"))(),
    )
