"""Figures that reward a model for knowing what it does not know, of ranked options, by index.

One of the options may say "I do not know" (`idk`). The probabilities are `openbench.scorers.ranking.softmax` of the
log-probabilities, or of `per_character` values.
"""

from collections.abc import Collection, Sequence

from openbench.scorers.ranking import argmax_accuracy
from openbench.scorers.ranking_request import most_probable


def confidence_weighted_accuracy(probabilities: Sequence[float], gold: Collection[int]) -> float:
    """Return the probability of the most probable option if it is right, else 0; from 0 to 1, higher is better.

    Ties count as in `argmax_accuracy`.
    """
    return max(probabilities) * argmax_accuracy(probabilities, gold)


def ternary_score(
    values: Sequence[float], gold: Collection[int], idk: int, *, reward: float = 1.0, penalty: float = 1.0
) -> float:
    """Return `reward` if the highest value is a right one's, 0 if it is that of `idk`, else `-penalty`.

    Higher is better. Of several highest values it is the mean; if all are equal, nothing was chosen, and it is 0.

    Source: Kalai et al. 2025, Why language models hallucinate, arXiv 2509.04664.
    """
    points = [reward if index in gold else 0.0 if index == idk else -penalty for index in most_probable(values)]
    return sum(points) / len(points) if points else 0.0


def distributional_correctness(
    probabilities: Sequence[float], gold: Collection[int], idk: int, *, reward: float = 1.0, penalty: float = 1.0
) -> float:
    """Return (reward * p(right) - penalty * p(wrong)) * (1 - p(idk)), from -penalty to reward; higher is better.

    Probability on `idk` is neither right nor wrong, so that a model that would rather abstain than guess loses little.

    Source: Burns 2025, Measuring language model hallucinations through distributional correctness, arXiv 2510.04302.
    """
    right = sum(probabilities[index] for index in set(gold))
    wrong = sum(p for index, p in enumerate(probabilities) if index not in gold and index != idk)
    return (reward * right - penalty * wrong) * (1 - probabilities[idk])
