"""TruthfulQA (MC2): the total probability that a model assigns to the true choices.

Lin et al. (2021), https://arxiv.org/abs/2109.07958
"""

from functools import partial

from inspect_ai import Task, task

from openbench.datasets import load_samples, read_rows
from openbench_mcq.metadata.knowledge import TRUTHFULQA_MC2
from openbench_mcq.truthfulqa import Prompt, read_examples, record_to_cloze_sample
from openbench_ranking.scorer import create_ranking_scorer
from openbench_ranking.solver import rank

FIGURES = ("prob_mass", "prob_mass_norm", "acc")
WAIVERS = {
    "wrong": "the score is a probability, which is never exactly 0",
    "empty": "if all choices are equally probable, the true ones get their share of the probability",
}


@task
def truthfulqa_mc2(prompt: Prompt = "ours") -> Task:
    """TruthfulQA with several true choices: the share of the choices' probability on true ones.

    Args:
        prompt: `ours`, without examples, or `official`, with the paper's six examples before each question, which are
            downloaded once.
    """
    mapping = partial(record_to_cloze_sample, examples=read_examples("truthfulqa_mc2", prompt), targets="mc2_targets")
    return Task(
        name="truthfulqa_mc2",
        dataset=load_samples(read_rows(TRUTHFULQA_MC2), mapping, name="truthfulqa_mc2"),
        solver=rank(),
        scorer=create_ranking_scorer(figures=FIGURES)(),
    )
