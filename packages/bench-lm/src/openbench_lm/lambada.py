"""LAMBADA: the last word of a passage, which people can guess from the passage but not from its last sentence alone.

Paperno et al. (2016), https://arxiv.org/abs/1606.06031, in the version of the authors of GPT-2.
"""

from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import load_samples, read_rows
from openbench_lm.metadata import LAMBADA
from openbench_ranking.request import ranking_sample
from openbench_ranking.scorer import create_ranking_scorer
from openbench_ranking.solver import rank

WAIVERS = {"empty": "the score is the probability of a word, so no sample is left unanswered"}


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a row. The last word is the text after the last space."""
    context, _, word = row["text"].rpartition(" ")
    return ranking_sample(input=context, continuations=[f" {word}"], gold=[0])


def passage(sample: Sample) -> str:
    """Return the text of a sample, in which its last word may occur."""
    return str(sample.input)


@task
def lambada() -> Task:
    """LAMBADA: the accuracy of greedy decoding of last words, and their perplexity.

    `greedy` is the published accuracy: each token of the word must be the most probable one at its position.
    """
    return Task(
        name="lambada",
        dataset=load_samples(read_rows(LAMBADA), record_to_sample, name="lambada"),
        solver=rank(),
        scorer=create_ranking_scorer(figures=("greedy", "loglikelihood"))(),
    )
